import { expect, test } from 'vitest';
import {
  expireConversations,
  findConversation,
  recalledText,
  recallHandle,
  type SessionStore,
  sqlite,
} from '../src/index.ts';
import { newStore, said } from './new-store.ts';

const ID = 'k3v9abcdefghj';
const SESSION = `0123456789abcdef-${ID}`;
const OUTPUT = 'line 1\r\n\u001b[31mline 2\u001b[0m\n\n';

/** A conversation of the proxy with one call and two results, one of them in blocks. */
async function converse(store: SessionStore, id = SESSION, time = Date.now()): Promise<void> {
  const message = (role: string, content: unknown) => ({ type: 'message', message: { role, content } }) as const;
  await store.create({ id, created: time });
  const entries = [
    { type: 'model', provider: 'proxy', model: 'claude-opus-5', dialect: 'anthropic' } as const,
    said('Mend the parser'),
    message('assistant', [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_use', id: 'b', name: 'Read', input: { path: 'x' } },
    ]),
    message('user', [
      { type: 'tool_result', tool_use_id: 'a', content: OUTPUT },
      {
        type: 'tool_result',
        tool_use_id: 'b',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ],
      },
    ]),
  ];
  await store.append(
    id,
    entries,
    0,
    entries.map(() => time),
  );
}

test('a handle with an id leads to the original, byte for byte', async () => {
  const { store } = await newStore();
  await store.create({ id: 'other' });
  await converse(store);
  expect((await findConversation(store, ID))?.id).toBe(SESSION);
  const text = async (handle: string) => recalledText(await recallHandle(store, handle));
  expect(await text(`m2.0@${ID}`)).toBe(OUTPUT);
  expect(await text(`[m2.1@${ID}]`)).toBe('one\ntwo');
  expect(await text(`m0@${ID}`)).toBe('Mend the parser');
  expect(await text(`m0-m1@${ID}`)).toBe(
    '[m0 user]\nMend the parser\n\n[m1 assistant]\nI look.\nBash {"command":"ls"}\nRead {"path":"x"}',
  );
});

test('explains why something cannot be recalled', async () => {
  const { store } = await newStore();
  await converse(store);
  await converse(store, 'not-a-conversation-zzzzzzzzzzzzz');
  const why = (handle: string) => recallHandle(store, handle).catch((error: Error) => error.message);
  expect(await why('m2.0')).toMatch(/^"m2.0" is not a handle: .*with its id$/);
  expect(await why('m2.0@aaaaaaaaaaaaa')).toMatch(
    /aaaaaaaaaaaaa is not stored here: it expired, it was deleted, or the id after @ is wrong$/,
  );
  expect(await why(`m9@${ID}`)).toBe(`conversation ${ID} has no message m9`);
  expect(await why(`m2.7@${ID}`)).toBe(`message m2@${ID} has no result 7`);
  expect(await findConversation(store, `%-${ID}`)).toBeUndefined();
});

test('conversations expire by age and size, other sessions do not', async () => {
  const { store } = await newStore();
  const day = 86_400_000;
  const now = Date.now();
  await store.create({ id: 'chat', created: now - 100 * day });
  for (const [i, age] of [40, 20, 10, 1].entries()) await converse(store, `root-conversation${i}`, now - age * day);
  const { bytes = 0 } = (await findConversation(store, 'conversation3')) ?? {};
  const deleted = await expireConversations(store, { olderThan: now - 30 * day, maxBytes: 2 * bytes });
  expect(deleted.map(({ id }) => id)).toEqual(['root-conversation1', 'root-conversation0']);
  expect((await store.list()).map(({ id }) => id)).toEqual(['root-conversation3', 'root-conversation2', 'chat']);
});

test('a store opened for reading only reads while others write', async () => {
  const { store, path } = await newStore();
  await converse(store);
  const beside = await sqlite(path, { read_only: true });
  expect(recalledText(await recallHandle(beside, `m2.0@${ID}`))).toBe(OUTPUT);
  expect(await beside.search('parser')).toHaveLength(1);
  await expect(beside.delete(SESSION)).rejects.toThrow('reading only');
  await beside.close();
  await store.close();
  const alone = await sqlite(path, { read_only: true });
  expect(recalledText(await recallHandle(alone, `m2.0@${ID}`))).toBe(OUTPUT);
  await alone.close();
});

test("a title leaves out what clients add to the user's words", async () => {
  const { store } = await newStore();
  const { id } = await store.create();
  await store.append(id, [said('<environment_context>\n<cwd>/x</cwd>\n</environment_context>')], 0);
  expect((await store.info(id))?.title).toBe('');
  await store.append(id, [said('<system-reminder>rules</system-reminder>Mend the <b>parser</b>')], 1);
  expect((await store.info(id))?.title).toBe('Mend the <b>parser</b>');
});
