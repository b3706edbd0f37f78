import { createCrewSession } from '@holdfast/crew';
import { type SessionEntry, sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { newestResumable } from './resume.ts';

const said: SessionEntry = { type: 'message', message: { role: 'user', content: 'Hello' } };

/** Sessions of these kinds, the oldest first: a crew's, or by the wire format of a provider; `words` have none. */
async function storeWith(...kinds: readonly string[]) {
  const store = await sqlite(':memory:');
  for (const [at, kind] of kinds.entries()) {
    const id = `${kind}-${at}`;
    if (kind === 'crew') await createCrewSession(store, { id });
    else await store.create({ id });
    const model: SessionEntry = { type: 'model', provider: 'imported', model: 'x', dialect: kind };
    const first: SessionEntry[] = kind === 'run' ? [{ type: 'run', change: {} }] : [model];
    const entries = kind === 'crew' || kind === 'words' ? [said] : [...first, said];
    const last = (await store.info(id))?.last ?? 0;
    const times = entries.map(() => Date.now() + at * 1_000);
    await store.append(id, entries, last, times);
  }
  return store;
}

const speaking = (format: string | undefined) => () => format;

test.each<[string, readonly string[], string | undefined, string, RegExp | undefined]>([
  ['the newest', ['anthropic', 'anthropic'], 'anthropic', 'anthropic-1', undefined],
  [
    'never a crew’s session',
    ['openai-chat', 'crew'],
    'openai-chat',
    'openai-chat-0',
    /^skipped: session crew-1 belongs to a crew/,
  ],
  ['one of its format', ['anthropic', 'openai-chat', 'crew'], 'anthropic', 'anthropic-0', /\(and 1 older one\)$/],
  ['words, in any', ['anthropic', 'words'], 'openai-responses', 'words-1', undefined],
  ['a program keeps its own', ['crew', 'anthropic'], undefined, 'anthropic-1', undefined],
  ['behind a page', ['anthropic', ...Array(60).fill('crew')], 'anthropic', 'anthropic-0', /and 59 older ones/],
])('--resume without an id picks the newest suitable session: %s', async (_, kinds, format, id, told) => {
  const { info, notice } = await newestResumable(await storeWith(...kinds), speaking(format));
  expect(info?.id).toBe(id);
  if (told === undefined) expect(notice).toEqual([]);
  else expect(notice.join('\n')).toMatch(told);
});

test('without a suitable session, the error says how to continue each', async () => {
  const store = await storeWith('ai-sdk', 'openai-responses', 'openai-chat', 'crew');
  await expect(newestResumable(store, speaking('anthropic'))).rejects.toThrow(
    /^no session can be resumed .*\nsession crew-3 belongs to a crew: holdfast crew run FILE "…" --session crew-3 continues it\n.*openai-chat: use --provider openai-api\n.* and provider\.api: responses in the configuration\n1 others/,
  );
  await expect(newestResumable(await storeWith(), speaking('anthropic'))).rejects.toThrow(
    'there are no chats yet: start one without --resume',
  );
});

test('a skipped run is named with the command that continues it', async () => {
  const { notice } = await newestResumable(await storeWith('anthropic', 'run'), speaking('anthropic'));
  expect(notice).toEqual(['skipped: session run-1 belongs to a run: holdfast runs resume run-1 continues it']);
});
