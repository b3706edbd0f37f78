import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { type Policy, replay } from './replay.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const says = (content: string): ChatMessage => ({ role: 'assistant', content });
const calls = (id: string, input: unknown): ChatMessage => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'edit', arguments: JSON.stringify(input) } }],
});
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });

const everything = (): Policy => ({ view: (history) => history });
const newest = (count: number) => (): Policy => ({ view: (history) => history.slice(-count) });

// Questions of 30 characters have 14 tokens, answers of 6 have 6.
const talk = [1, 2, 3].flatMap((n) => [user(String(n).repeat(30)), says('answer')]);

test('prices a conversation of three calls that sends everything', async () => {
  const result = await replay({ messages: talk }, everything);
  // 1000 + 17.5, then 1001.4 + 25, then 1003.4 + 25.
  expect(result.cost).toBeCloseTo(3072.3, 9);
  expect(result).toMatchObject({ calls: 3, peak: 54, tokens: 30_102, cached: 30_048, rewrites: 0, invalid: 0 });
  expect(result).toMatchObject({ boundedCalls: 0, needed: 0, had: 0, spans: 0, spansHad: 0, ms: 0 });
  expect(result).not.toHaveProperty('overBudget');
});

test('counts the calls that rewrite what was sent before', async () => {
  const result = await replay({ messages: talk }, newest(1));
  // Each call rewrites its 14 tokens; the first has nothing to rewrite.
  expect(result).toMatchObject({ calls: 3, rewrites: 2, boundedCalls: 2, peak: 14, cached: 30_000 });
  expect(result.cost).toBeCloseTo(3 * (1000 + 17.5), 9);
});

test('uses prices, overhead, size and budget from its options', async () => {
  const options = { prices: { read: 1, write: 2 }, overhead: 0, size: () => 10, budget: 30 };
  const result = await replay({ messages: talk }, everything, options);
  // Views of 10, 30 and 50 tokens, each beginning with the one before.
  expect(result).toMatchObject({ cost: 20 + (10 + 40) + (30 + 40), tokens: 90, cached: 40, overBudget: 1 });
});

test('a leading answer is not a call, and a conversation may be empty', async () => {
  expect(await replay({ messages: [says('Hello'), user('Hi'), says('Yes?')] }, everything)).toMatchObject({ calls: 1 });
  expect(await replay({ messages: [] }, everything)).toMatchObject({ calls: 0, cost: 0 });
});

const work = [
  user('Fix src/parser.ts, see issue 4711'),
  calls('a', { path: 'src/parser.ts' }),
  result('a', '10→  const total = first + second;\n11→  return total * parseRate;'),
  calls('b', {
    path: 'src/parser.ts',
    old_string: 'const total = first + second;',
    new_string: 'const brand_new = 0;',
  }),
  result('b', 'ok'),
  calls('c', { path: 'src/parser.ts', note: 'issue 4711, parseRate', never_seen: 'lib/unknown.ts' }),
];

test('coverage counts the literals of the next call that a view no longer contains', async () => {
  // The last two messages before each call. Call a sees everything. Call b uses src/parser.ts and brand_new; only the path
  // occurred before, in the call that the view holds. Call c: path, 4711 and parseRate occurred before; the view holds
  // call b, so only the path is left.
  const figures = await replay({ messages: work }, newest(2));
  expect(figures).toMatchObject({ boundedCalls: 2, needed: 4, had: 2 });
});

test('spans count the lines of the next edit that a view no longer contains', async () => {
  expect(await replay({ messages: work }, newest(2))).toMatchObject({ spans: 1, spansHad: 1 });
  const masked = (): Policy => ({
    view: (history) => history.map((m) => (m.role === 'tool' ? { ...m, content: 'first + second; total' } : m)),
  });
  expect(await replay({ messages: work }, masked)).toMatchObject({ spans: 1, spansHad: 0 });
});

test('a context line of a patch is a span, too', async () => {
  const patch =
    '*** Begin Patch\n*** Update File: src/parser.ts\n@@\n return total * parseRate;\n+more();\n*** End Patch';
  const messages = [...work.slice(0, 3), calls('b', { input: patch })];
  expect(await replay({ messages }, newest(2))).toMatchObject({ spans: 1, spansHad: 1 });
  expect(await replay({ messages }, () => ({ view: (h) => h.slice(0, 1) }))).toMatchObject({ spans: 1, spansHad: 0 });
});

test('a literal returns with its message', async () => {
  const messages = [
    user('the port is 8085'),
    calls('a', { port: 8085 }),
    result('a', 'ok'),
    calls('b', { port: 8085 }),
    result('b', 'ok'),
    calls('c', { port: 8085 }),
  ];
  const shown = [[], messages.slice(0, 1), [user('nothing'), user('8085 again'), user('8085 again')]];
  let call = 0;
  const figures = await replay({ messages }, () => ({ view: () => shown[call++] ?? [] }));
  expect(figures).toMatchObject({ boundedCalls: 3, needed: 3, had: 2 });
});

test('counts views that split a call from its result', async () => {
  expect(await replay({ messages: work }, newest(1))).toMatchObject({ calls: 3, invalid: 2 });
  const strict = { validate: (view: readonly ChatMessage[]) => (view.length > 3 ? ['too long'] : []) };
  expect(await replay({ messages: work }, everything, strict)).toMatchObject({ calls: 3, invalid: 1 });
});

test('awaits the policy, creates a new one for each replay, and measures time with the given clock', async () => {
  let made = 0;
  const policy = (): Policy => {
    made += 1;
    return { view: async (history) => history };
  };
  let now = 0;
  const clock = (): number => {
    now += 5;
    return now;
  };
  expect(await replay({ messages: talk }, policy, { clock })).toMatchObject({ calls: 3, ms: 15 });
  await replay({ messages: talk }, policy);
  expect(made).toBe(2);
});
