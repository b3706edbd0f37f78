import type { ConversationHistoryConfig, Strategy } from 'holdfast';
import { expect, test } from 'vitest';
import type { ChatMessage } from './chat.ts';
import { createPolicy, POLICIES, policyConfig, wantsSummaries } from './policies.ts';
import { type CallFigures, replay } from './replay.ts';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const read = (n: number): ChatMessage[] => [
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: `c${n}`, type: 'function', function: { name: 'read', arguments: `{"path":"src/file_${n}.ts"}` } },
    ],
  },
  { role: 'tool', tool_call_id: `c${n}`, content: `const value_${n} = ${'word '.repeat(600)};` },
];
const messages = [
  user('Tidy all files. Never rename them.'),
  ...Array.from({ length: 12 }, (_, n) => read(n)).flat(),
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'x', function: { name: 'grep', arguments: '{"for":"value_0"}' } }],
  },
];

test('a policy is a configuration that can be pasted', () => {
  expect(policyConfig('fold', { budget: 40_000, reserve: 10_000 })).toEqual({
    strategy: 'fold',
    max_tokens: 50_000,
    reserve: 10_000,
  });
  expect(policyConfig('two-tier+summary', { budget: 5, reserve: 1 })).toMatchObject({ summarize_on_trim: true });
  expect(policyConfig('everything', { budget: 5, reserve: 1 })).toBeUndefined();
  const config = { strategy: 'fold', target: 0.3, reserve: 7 } as const;
  expect(policyConfig('mine', { budget: 5, reserve: 1, config })).toEqual({
    strategy: 'fold',
    target: 0.3,
    max_tokens: 6,
    reserve: 1,
  });
  expect(() => policyConfig('fodl', { budget: 5, reserve: 1 })).toThrow('unknown policy "fodl": use everything, fold,');
  expect(POLICIES.filter((name) => wantsSummaries(name))).toContain('two-tier');
  expect(wantsSummaries('mine', { strategy: ['sliding', 'two-tier'] })).toBe(true);
  expect(wantsSummaries('two-tier', { strategy: 'fold' })).toBe(false);
});

const summarizing: Strategy = {
  summary: { sections: false, max_tokens: 200, least_messages: 1 },
  due: () => true,
  judge: (turns) => ({ verdicts: turns.map(({ kept }) => (kept ? 'keep' : 'drop')), note: 'summary' }),
};

test.each<[NonNullable<ConversationHistoryConfig['strategy']>, boolean]>([
  [summarizing, true],
  [['sliding', summarizing], true],
  ['sliding', false],
])('a policy wants summaries if its window asks for them: %j', async (strategy, expected) => {
  let asked = 0;
  const summarizer = { call: async () => `Summary ${++asked}: the user asked for the files.` };
  const config = { strategy, max_messages: 100 };
  const history = Array.from({ length: 20 }, (_, n) => [user(`Tidy file ${n}, too.`), ...read(n)]).flat();
  await createPolicy('mine', { budget: 10_000, reserve: 0, config, summarizer }).view(history);
  expect({ asked: asked > 0, wants: wantsSummaries('mine', config) }).toEqual({ asked: expected, wants: expected });
});

test('every policy folds, stays within the budget and valid', async () => {
  for (const name of POLICIES.filter((one) => !one.includes('+') && one !== 'everything')) {
    const result = await replay({ messages }, () => createPolicy(name, { budget: 3000, reserve: 1000 }), {
      overhead: 1000,
      budget: 3000,
    });
    expect(result, name).toMatchObject({ calls: 13, invalid: 0, overBudget: 0 });
    expect(result.peak, name).toBeLessThanOrEqual(3000);
    expect(result.folds, name).toBeGreaterThan(0);
  }
});

test('each call is reported with what fills its view and what its fold did', async () => {
  const calls: CallFigures[] = [];
  const onCall = (call: CallFigures) => void calls.push(call);
  const result = await replay({ messages }, () => createPolicy('fold', { budget: 3000, reserve: 0 }), {
    overhead: 0,
    onCall,
  });
  expect(calls).toHaveLength(13);
  const folded = calls.filter(({ receipt }) => receipt);
  expect(folded).toHaveLength(result.folds);
  for (const { fills, tokens } of calls) expect(Object.values(fills).reduce((sum, part) => sum + part, 0)).toBe(tokens);
  expect(calls.at(-1)?.fills.note).toBeGreaterThan(0);
  expect(calls[0]).toMatchObject({ answer: 1, history: 16, tokens: 16, fills: { user: 16, note: 0, results: 0 } });
});

test('what does not fit is refused, sent whole and over budget', async () => {
  const large = [user('x'.repeat(9000)), ...messages.slice(1, 3), ...messages.slice(-1)];
  const result = await replay({ messages: large }, () => createPolicy('fold', { budget: 2000, reserve: 0 }), {
    overhead: 0,
    budget: 2000,
  });
  expect(result).toMatchObject({ calls: 2, overBudget: 2, refused: 2 });
});

test('fold uses the given cache prices', async () => {
  const long = [user('go'), ...Array.from({ length: 30 }, (_, n) => read(n)).flat()];
  const rewrites = async (read: number) => {
    const made = () => createPolicy('fold', { budget: 6_000, reserve: 0, prices: { write: 1.25, read } });
    return (await replay({ messages: long }, made, { overhead: 0 })).rewrites;
  };
  expect(await rewrites(1)).toBeGreaterThan(await rewrites(0.001));
});

test('reminders are counted, and are what they add to a view', async () => {
  const call = (id: string, name: string, input: unknown, content: string): ChatMessage[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
    },
    { role: 'tool', tool_call_id: id, content },
  ];
  const lines = Array.from({ length: 120 }, (_, n) => `${n}\tconst value_${n} = compute_all(${n});`).join('\n');
  const edit = { file_path: 'src/values.ts', old_string: 'const value_60 = compute_all(60);', new_string: 'done' };
  const edited = [
    user('Rename the values.'),
    ...call('a', 'read', { file_path: 'src/values.ts' }, lines),
    user('Look at these first.'),
    ...Array.from({ length: 15 }, (_, n) => read(n)).flat(),
    ...call('b', 'edit', edit, 'changed'),
    { role: 'assistant', content: 'Done.' },
  ];
  const measured = async (reminders: boolean) => {
    const calls: CallFigures[] = [];
    const config = { strategy: 'fold', max_messages: 0, reminders } as const;
    const policy = () => createPolicy('own', { budget: 6_000, reserve: 0, config });

    const result = await replay({ messages: edited }, policy, { overhead: 0, onCall: (one) => void calls.push(one) });
    return { reminders: result.reminders, added: calls.at(-1)?.fills.reminders };
  };
  expect(await measured(true)).toEqual({ reminders: 1, added: expect.toSatisfy((tokens: number) => tokens > 20) });
  expect(await measured(false)).toEqual({ reminders: 0, added: 0 });
});
