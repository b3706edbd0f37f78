import { describe, expect, test } from 'vitest';
import { anthropicWindow, assistant, call, calls, user } from '../../test/anthropic-calls.ts';
import type { Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { anthropic, ConversationWindow } from '../index.ts';

test('a partly masked turn can be masked further', async () => {
  const results = [9_000, 6_000, 6_000, 6_000].map((n) => 'word '.repeat(n / 5));
  const history = [
    user('go'),
    assistant(results.map((_, i) => ({ type: 'tool_use', id: `p${i}`, name: 'Read', input: {} }))),
    user(results.map((content, i) => ({ type: 'tool_result', tool_use_id: `p${i}`, content }))),
  ];
  const window = anthropicWindow({ max_tokens: 9_000 });
  expect((await window.fit(history)).receipt?.masked).toBe(1);
  window.observe({ input_tokens: 10_500 });
  const { metrics } = await window.fit(history);
  expect(metrics.estimatedTokens).toBeLessThanOrEqual(9_000);
  expect((await window.recall('m2')).messages).toEqual([history[2]]);
});

describe('a result too large for any window', () => {
  const huge = 'one line of very many\n'.repeat(20_000);

  test('is shortened before it is sent, leaves everything sent before unchanged, and can be recalled whole', async () => {
    const window = anthropicWindow({ max_tokens: 20_000 });
    const history: Wire[] = [user('Look at it.'), ...calls(20)];
    const before = (await window.fit(history)).messages;
    history.push(...call(20, huge));
    const { messages, metrics, receipt } = await window.fit(history);
    expect(violationsOf('anthropic', messages)).toEqual([]);
    expect(messages.slice(0, before.length)).toEqual(before);
    expect(receipt).toMatchObject({ masked: 1, dropped: 0, changedFrom: before.length + 1 });
    expect(metrics.estimatedTokens).toBeLessThanOrEqual(20_000);
    const handle = receipt?.turns.at(-1)?.handle ?? '';
    expect(JSON.stringify((await window.recall(handle)).messages)).toContain(JSON.stringify(huge).slice(1, -1));
    // And again with the next, and over a restart.
    history.push(...call(21, huge));
    const restored = new ConversationWindow<Wire>(
      { max_messages: 0, max_tokens: 20_000 },
      { dialect: 'anthropic', state: JSON.parse(JSON.stringify(window.state())) },
    );
    const next = (await restored.fit(history)).messages;
    expect(next.slice(0, messages.length)).toEqual(messages);
    expect((await window.fit(history)).messages).toEqual(next);
  });

  test('keeps thinking before it that is bound to its prefix', async () => {
    const window = new ConversationWindow<Wire>(
      { max_messages: 0, max_tokens: 20_000 },
      { dialect: anthropic({ thinking: 'bound' }) },
    );
    const thought = assistant([
      { type: 'thinking', thinking: 'Let me see.', signature: 's1' },
      { type: 'tool_use', id: 'h', name: 'Read', input: { file_path: 'huge.ts' } },
    ]);
    const history: Wire[] = [
      user('Look at it.'),
      ...calls(10),
      thought,
      user([{ type: 'tool_result', tool_use_id: 'h', content: huge }]),
    ];
    const { messages } = await window.fit(history);
    expect(messages.at(-2)).toEqual(thought);
    expect(messages).toHaveLength(history.length);
  });

  test('if it fits but makes the view too large, the old goes and the new stays whole', async () => {
    const window = anthropicWindow({ max_tokens: 20_000 });
    const history: Wire[] = [user('Look at it.'), ...calls(40), ...call(40, huge.slice(0, 30_000))];
    const { messages } = await window.fit(history);
    expect(JSON.stringify(messages.at(-1))).toContain(JSON.stringify(huge.slice(0, 30_000)).slice(1, -1));
  });
});
