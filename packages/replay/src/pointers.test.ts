import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { createPointers } from './pointers.ts';
import { createPolicy } from './policies.ts';
import { type Policy, replay } from './replay.ts';

const LINE = 'const total = first + second;';
const originals: Record<string, ChatMessage> = {
  m12: { role: 'tool', content: `1→ ${LINE}` },
  'm12.1': { role: 'tool', content: LINE },
  m30: { role: 'tool', content: 'const other = nothing + at + all;' },
};
const recall = (handle: string): readonly ChatMessage[] => {
  const found = originals[handle];
  if (!found) throw new Error(`unknown handle ${handle}`);
  return [found];
};
const points = (text: string, policy: Pick<Policy, 'recall'> = { recall }) =>
  createPointers(policy)([{ role: 'user', content: text }], 'parser.ts', LINE);

test('a line that names the file next to a handle of the missing line is a pointer', async () => {
  expect(await points('src/parser.ts: read m12, changed m30')).toBe(true);
  expect(await points('parser.ts (m12.1)')).toBe(true);
  expect(await points('src/parser.ts: changed m30')).toBe(false);
  expect(await points('src/parser.ts\nm12')).toBe(false);
  expect(await points('src/lexer.ts: read m12')).toBe(false);
  expect(await points('src/parser.ts: read m12', {})).toBe(false);
});

test('ranges and long lists are not pointers', async () => {
  expect(await points('parser.ts: m12-m30')).toBe(false);
  expect(await points('parser.ts: m1-m12')).toBe(false);
  expect(await points('parser.ts, a.ts, b.ts: m12')).toBe(true);
  expect(await points('parser.ts, a.ts, b.ts, c.ts: m12')).toBe(false);
  expect(await points('parser.ts: m30, m31, m12')).toBe(true);
  expect(await points('parser.ts: m30, m31, m32, m12')).toBe(false);
});

test('replay counts the missing lines to which a view points', async () => {
  const call = (id: string, input: unknown): ChatMessage => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, function: { name: 'edit', arguments: JSON.stringify(input) } }],
  });
  const messages: ChatMessage[] = [
    { role: 'user', content: 'Fix the parser.' },
    call('a', { path: 'src/parser.ts' }),
    { role: 'tool', tool_call_id: 'a', content: `${LINE}\nreturn total * rate * factor;` },
    call('b', { path: 'src/parser.ts', old_string: `${LINE}\nreturn total * rate * factor;` }),
  ];
  const policy = (note: string) => () => ({
    view: (history: readonly ChatMessage[]) =>
      history.length < 3 ? history : [{ role: 'user', content: `${note}\nreturn total * rate * factor;` }],
    recall: async (handle: string) => messages.slice(Number(handle.slice(1))).slice(0, 1),
  });
  expect(await replay({ messages }, policy('parser.ts: m2'))).toMatchObject({ spans: 2, spansHad: 1, pointed: 1 });
  expect(await replay({ messages }, policy('parser.ts: m1'))).toMatchObject({ spans: 2, spansHad: 1, pointed: 0 });
});

test("a window's own handles can be recalled", async () => {
  const history = Array.from({ length: 40 }, (_, n): ChatMessage => {
    const role = n % 2 === 0 ? 'user' : 'assistant';
    return { role, content: `message ${n} ${'word '.repeat(200)}` };
  });
  const policy = createPolicy('fold', { budget: 3_000, reserve: 0 });
  expect((await policy.view(history.slice(0, -1))).length).toBeLessThan(39);
  expect(await policy.recall?.('m3')).toEqual([history[3]]);
});
