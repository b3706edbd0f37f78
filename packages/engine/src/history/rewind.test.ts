import { expect, test } from 'vitest';
import { anthropicWindow, assistant, calls, user } from '../../test/anthropic-calls.ts';
import type { Wire } from '../../test/histories.ts';
import { ConversationWindow, type WindowEvent } from '../index.ts';

test('a window restored after an edit with bound thinking continues like the original', async () => {
  const thinks = (n: number): Wire =>
    assistant([
      { type: 'thinking', thinking: 'hm', signature: `s${n}` },
      { type: 'text', text: `answer ${n}` },
    ]);
  const only: Wire = assistant([{ type: 'thinking', thinking: 'hm', signature: 'alone' }]);
  const history = [user('one'), thinks(1), user('two'), only, user('three'), thinks(5), user('four')];
  const live = anthropicWindow({});
  await live.fit(history);
  const edited = history.with(0, user('one, or rather none'));
  await live.fit(edited);
  const events: WindowEvent[] = [];
  const parts = {
    dialect: 'anthropic' as const,
    state: JSON.parse(JSON.stringify(live.state())),
    onEvent: (event: WindowEvent) => events.push(event),
  };
  const restored = new ConversationWindow<Wire>({ max_messages: 0 }, parts);
  const grown = [...edited, thinks(7), user('five')];
  expect((await restored.fit(structuredClone(grown))).messages).toEqual((await live.fit(grown)).messages);
  expect(events).toEqual([]);
});

test('after an edit before every fold, the last folded message is compared by hash, even if it is the same object', async () => {
  const config = { max_messages: 0, max_tokens: 1_500 };
  const history = [user('go'), ...calls(10)];
  const window = anthropicWindow(config);
  await window.fit(history);
  const edited = history.with(0, user('go on'));
  const { messages } = await window.fit(edited);
  const events: WindowEvent[] = [];
  const state = JSON.parse(JSON.stringify(window.state()));
  const onEvent = (event: WindowEvent) => events.push(event);
  const restored = new ConversationWindow<Wire>(config, { dialect: 'anthropic', state, onEvent });
  expect((await restored.fit(edited)).messages).toEqual(messages);
  expect(events).toEqual([]);
});

test('handles in earlier receipts still work after the user went back', async () => {
  const history = [user('go'), ...calls(20)];
  const window = anthropicWindow({ max_tokens: 2_000 });
  const { receipt } = await window.fit(history);
  const dropped = receipt?.turns.findLast(({ verdict }) => verdict === 'drop');
  await window.fit(history.slice(0, 3));
  const { messages } = await window.recall(dropped?.handle ?? '');
  expect(messages).toEqual(history.slice(dropped?.from, (dropped?.to ?? 0) + 1));
});

test('notices an edit of a message that the folded part shows in full', async () => {
  const events: WindowEvent[] = [];
  const window = anthropicWindow({ max_tokens: 2_000 }, (event) => events.push(event));
  const history = [user('paint it RED'), ...calls(20)];
  await window.fit(history);
  const { messages } = await window.fit(history.with(0, user('paint it BLUE')));
  expect(events.map(({ type }) => type)).toContain('history-rewritten');
  expect(messages[0]).toEqual(user('paint it BLUE'));
});
