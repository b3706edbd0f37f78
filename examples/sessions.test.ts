import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite, verifySession } from '@holdfast/sessions';
import { testStore } from '@holdfast/sessions/testing';
import { createStandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { ask, askWith, openTalk } from './durable-loop.ts';
import { type Memory, memoryStore } from './own-store.ts';
import { sayOnce } from './resume-chat.ts';
import { newestRequest } from './show-request.ts';

/** A model that makes one tool call in each step, until `steps` are done. */
function worker(steps: number) {
  let step = 0;
  const views: string[] = [];
  return {
    views,
    async send(messages: readonly object[]) {
      views.push(JSON.stringify(messages));
      const usage = { input_tokens: 1_000 + Math.ceil(JSON.stringify(messages).length / 3.2), output_tokens: 10 };
      if (step++ === steps) return { message: { role: 'assistant', content: 'Done.' }, usage };
      const id = `toolu_${views.length}_${Math.random().toString(36).slice(2)}`;
      const call = { type: 'tool_use', id, name: 'read_file', input: { path: `src/part-${step}.ts` } };
      const lines = Array.from({ length: 60 }, (_, i) => `export const value${step}_${i} = ${i};`).join('\n');
      return {
        message: { role: 'assistant', content: [call] },
        results: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: lines }] },
        usage,
      };
    },
  };
}

test.each(['the log is the history', 'the program keeps the history'])(
  'a loop on a conversation continues in another process, with its view and its originals: %s',
  async (how) => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'talks.db');
    const history: { role: string; content: unknown }[] = [];
    const say = async (prompt: string, { send }: ReturnType<typeof worker>) => {
      const conversation = await openTalk(path, 'talk');
      if (how === 'the log is the history') return ask(conversation, prompt, send);
      history.push({ role: 'user', content: prompt });
      return askWith(conversation, history, send);
    };
    const first = worker(40);
    await say('Read all parts.', first);
    const second = worker(3);
    await say('And three more.', second);
    const view = (text = '') => text.slice(0, -1);
    expect(second.views[0]?.startsWith(view(first.views.at(-1)))).toBe(true);
    const conversation = await openTalk(path, 'talk');
    expect(first.views.at(-1)).not.toContain('value1_59');
    const { messages } = await conversation.recall('m2');
    expect(JSON.stringify(messages)).toContain('value1_59 = 59;');
    expect((await conversation.search('value7_3')).length).toBeGreaterThan(0);
    const store = await sqlite(path);
    const { folds, problems } = await verifySession(store, 'talk');
    expect([folds > 1, problems]).toEqual([true, []]);
    const { tokens = 0 } = (await store.info('talk')) ?? {};
    expect(tokens).toBeGreaterThan(40 * 1_000);
    await store.close();
  },
);

const places = new Map<string, Memory>();
testStore(
  'memory',
  async (place) => {
    const memory: Memory = places.get(place) ?? new Map();
    places.set(place, memory);
    return memoryStore(memory);
  },
  test,
);

test('a session continues from one process to the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'));
  const standIn = await createStandIn({ script: ({ messages }) => ({ text: `${messages.length} messages` }) });
  onTestFinished(async () => {
    rmSync(folder, { recursive: true });
    await standIn.close();
  });
  const say = (prompt: string, session?: string) => sayOnce(join(folder, 's.db'), standIn.url, prompt, session);
  const { session, output } = await say('Hello');
  expect(output).toBe('1 messages');
  expect(await say('And again', session)).toMatchObject({ output: '3 messages', restored: { messages: 2 } });
  const body = await newestRequest(join(folder, 's.db'), session ?? '');
  expect(JSON.parse(body ?? '')).toEqual(standIn.requests.at(-1)?.body);
});
