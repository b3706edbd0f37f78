import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ConversationWindow, type WindowState } from '../src/index.ts';

type Message = Readonly<Record<string, unknown>>;

/** Written by version 0.1: a history of 20 calls, the view of it after several folds, and `state()`. */
const [history, view, state] = readFileSync(new URL('fixtures/state-0.1.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line)) as [Message[], Message[], WindowState<Message>];

test('a state of version 0.1 continues: the same view, and new messages after it', async () => {
  const events: unknown[] = [];
  const config = { max_messages: 12, preserve_last_n: 4, reminders: false } as const;
  const window = new ConversationWindow<Message>(config, { state, onEvent: (event) => events.push(event) });
  expect((await window.fit(history)).messages).toEqual(view);
  const answer = { role: 'assistant', content: 'All read.' } as const;
  expect((await window.fit([...history, answer])).messages).toEqual([...view, answer]);
  expect(events).toEqual([]);
});
