import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { lost } from '../../test/promises.ts';
import { agent, assistant, failure, user } from '../../test/read-turns.ts';
import { ConversationWindow, type WindowState } from '../index.ts';

describe('state()', () => {
  test('refuses anything else', async () => {
    for (const state of [{}, { version: 2, view: [], turns: [] }, { version: 1 }, 'text', null, 7]) {
      const error = await failure(
        () => new ConversationWindow<Wire>({}, { state: state as unknown as WindowState<Wire> }),
      ).catch((reason: unknown) => reason);
      if (state === null) continue; // no state
      expect(error, JSON.stringify(state)).toMatchObject({ code: 'BAD_STATE' });
    }
  });

  test('refuses a state of another dialect', async () => {
    const window = new ConversationWindow<Wire>({}, { dialect: 'anthropic' });
    await window.fit(agent('anthropic', 1));
    const error = await failure(
      () => new ConversationWindow<Wire>({}, { dialect: 'openai-chat', state: window.state() }),
    );
    expect(error.code).toBe('BAD_STATE');
  });

  test('of a restored window is the same', async () => {
    const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
    await window.fit(agent('anthropic', 30));
    const state = JSON.parse(JSON.stringify(window.state()));
    expect(new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { state }).state()).toEqual(state);
  });

  test('stays small when the view is', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 40 }, { dialect: 'anthropic' });
    const history: Wire[] = [];
    for (let i = 0; i < 2_000; i++) {
      history.push(
        i % 2 === 0 ? user(`question ${i} about src/file_${i}.ts`) : assistant(`see parse_${i} in lib/part_${i}.ts`),
      );
      if (i % 5 === 0) await window.fit(history);
    }
    expect(JSON.stringify(window.state()).length).toBeLessThan(320_000);
  });
});

test('reset() forgets the conversation, and the window accepts another', async () => {
  const window = new ConversationWindow<Wire>({ max_tokens: 5_000, max_messages: 0 }, { dialect: 'anthropic' });
  await window.fit(agent('anthropic', 30));
  window.reset();
  const other = agent('anthropic', 30).map((message, i) =>
    i === 0 ? user('Something else') : JSON.parse(JSON.stringify(message).replaceAll('value_', 'other_')),
  );
  const { messages, receipt, metrics } = await window.fit(other);
  expect(receipt?.fold).toBe(1);
  expect(metrics.totalMessages).toBe(other.length);
  expect(await lost(window as never, other, messages, receipt?.note)).toEqual([]);
});
