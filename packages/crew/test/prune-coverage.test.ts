import { expect, test, vi } from 'vitest';
import type { CrewMessage } from '../src/index.ts';
import { startCoverage } from './coverage.ts';

type Turn = { role: string; content: unknown };
const user = (content: string): CrewMessage => ({ role: 'user', content });
const said = (content: string): CrewMessage => ({ role: 'assistant', content });
const system = { role: 'system', content: 'be brief' } as const;

test('pruneHistory, of a crew and of a window, is covered whole: every line, and every branch both ways', async () => {
  const covered = await startCoverage();
  // Only what is loaded from here on is counted.
  vi.resetModules();
  const { ConversationWindow } = await import('holdfast');
  const { CrewExecutor } = await import('../src/index.ts');
  const { createHistory } = await import('../src/history/history.ts');
  const lines: string[] = [];
  const logger = {
    debug() {},
    info: (line: string) => void lines.push(line),
    warn: (line: string) => lines.push(line),
  };
  const crew = new CrewExecutor(
    { entry: 'a', max_messages_per_request: 2, agents: { a: { role: 'x' } } },
    { logger, provider: () => ({ name: 'none', execute: () => Promise.reject(new Error('nobody is asked')) }) },
  );

  // Nothing to do: below and at the limit.
  expect(crew.pruneHistory([])).toEqual([]);
  expect(crew.pruneHistory([user('a'), said('b')])).toEqual([user('a'), said('b')]);
  expect(lines).toEqual([]);
  // The oldest go; the user speaks first, in front of an answer if need be.
  const talk = [user('a'), said('b'), user('c'), said('d'), said('e')];
  expect(crew.pruneHistory(talk)).toEqual([user('c'), said('e')]);
  expect(crew.pruneHistory([...talk, user('f')])).toEqual([user('c'), user('f')].slice(1));
  expect(crew.pruneHistory([system, ...talk], 3)).toEqual([system, user('c'), said('e')]);
  // System messages keep to the limit, too, and leave room for the newest turn.
  expect(crew.pruneHistory([system, system, system])).toEqual([system, system]);
  expect(crew.pruneHistory([system, system, user('a')], 2)).toEqual([system, user('a')]);
  expect(crew.pruneHistory([system, user('a')], 1)).toEqual([user('a')]);
  expect(crew.pruneHistory([said('a'), said('b'), said('c')], 1)).toEqual([said('c')]);
  // Calls stay with their results, though there are more than may be.
  const call = { id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } } as const;
  const looked: CrewMessage[] = [
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'seen' },
  ];
  expect(crew.pruneHistory([...talk, ...looked], 2)).toEqual([user('c'), ...looked]);
  // No limit at all.
  expect(crew.pruneHistory(talk, 0)).toEqual(talk);
  expect(lines).toEqual([
    '[HISTORY] Pruning from 5 to 2 messages',
    '[HISTORY] Pruning from 6 to 1 messages',
    '[HISTORY] Pruning from 6 to 3 messages',
    '[HISTORY] Pruning from 3 to 2 messages',
    '[HISTORY] Pruning from 3 to 2 messages',
    '[HISTORY] Pruning from 2 to 1 messages',
    '[HISTORY] Pruning from 3 to 1 messages',
    '[HISTORY] Pruning from 7 to 3 messages',
    'pruneHistory(): limit is 0, so nothing is pruned: expected 1 or more',
  ]);

  // Thinking bound to removed messages is removed too, and so is a message with nothing else; the rest stays unchanged.
  const window = new ConversationWindow<Turn>({ max_messages: 6 }, { dialect: 'anthropic' });
  const thought = { type: 'thinking', thinking: 'hm', signature: 's' };
  const words = { type: 'text', text: 'so' };
  const odd = null as unknown as Turn;
  const asked: Turn[] = [
    { role: 'user', content: 'b' },
    { role: 'system', content: 'be brief' },
  ];
  const { trimmed, evicted } = window.pruneHistory([
    { role: 'user', content: 'a' },
    ...asked,
    { role: 'assistant', content: [thought, words] },
    { role: 'assistant', content: [thought] },
    odd,
    { role: 'user', content: 'c' },
  ]);
  expect(trimmed).toEqual([...asked, { role: 'assistant', content: [words] }, odd, { role: 'user', content: 'c' }]);
  expect(evicted).toHaveLength(2);
  // After a system message, something has to take its place.
  const alone: Turn[] = [...asked, { role: 'assistant', content: [thought] }, { role: 'user', content: 'c' }];
  expect(window.pruneHistory([{ role: 'user', content: 'a' }, ...alone], 4).trimmed).toEqual([
    ...asked,
    { role: 'assistant', content: expect.anything() },
    { role: 'user', content: 'c' },
  ]);

  // As a request does it: after each append.
  const all = new ConversationWindow<Turn>({}, { dialect: 'openai-chat', logger });
  for (const none of [0, 'all' as unknown as number])
    expect(all.pruneHistory([system, system], none).trimmed).toEqual([system, system]);
  expect(all.pruneHistory([system, system], 1).trimmed).toEqual([system, system]);
  const history = createHistory([], { limit: 2, strategy: 'rolling', logger });
  for (const message of [user('a'), said('b'), user('c')]) await history.append('input', [message]);
  expect(history.messages).toEqual([user('c')]);

  const uncovered = await covered();
  expect(await uncovered('/engine/src/fold/trim.ts', 'pruneMessages', 'cutOf', 'withoutBound')).toEqual([]);
  expect(await uncovered('/engine/src/core-window.ts', 'pruneHistory')).toEqual([]);
  expect(await uncovered('/crew/src/executor.ts', 'pruneHistory')).toEqual([]);
  expect(await uncovered('/crew/src/history/bound.ts', 'pruned')).toEqual([]);
  expect(await uncovered('/crew/src/history/history.ts', 'pruningLine')).toEqual([]);
  expect(await uncovered('/crew/src/history/bound.ts', 'rolling')).toEqual([]);
});
