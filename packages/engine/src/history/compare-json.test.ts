import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { type ConversationHistoryConfig, ConversationWindow, type WindowEvent, type WindowParts } from '../index.ts';

const user = (content: unknown): Wire => ({ role: 'user', content });

const call = (id: string, input: unknown, content: unknown): Wire[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input }] },
  user([{ type: 'tool_result', tool_use_id: id, content }]),
];

const windowOf = (config: ConversationHistoryConfig = {}, parts: WindowParts<Wire> = {}) =>
  new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn: () => {} }, ...parts });

describe('the same JSON is the same history', () => {
  const odd = () => ({
    zero: -0,
    none: Number.NaN,
    list: [undefined, Number.POSITIVE_INFINITY],
    when: new Date(0),
    gone: undefined,
  });
  test.each(['-0', 'all of it'])('after a round trip through JSON: %s', async (name) => {
    const history = [user('a'), ...call('c', name === '-0' ? { zero: -0 } : odd(), 'b')];
    const told: WindowEvent[] = [];
    const window = windowOf({}, { onEvent: (event) => told.push(event) });
    await window.fit(history);
    const restored = windowOf(
      {},
      { onEvent: (event) => told.push(event), state: JSON.parse(JSON.stringify(window.state())) },
    );
    const plain = JSON.parse(JSON.stringify(history)) as Wire[];
    for (const one of [window, restored]) for (const given of [plain, history]) await one.fit(given);
    expect(told).toEqual([]);
    await window.fit([user('a'), ...call('c', { zero: 1 }, 'b')]);
    expect(told).toMatchObject([{ type: 'history-rewritten', index: 1 }]);
  });
});
