import { describe, expect, test } from 'vitest';
import type { Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { agent, assistant, user } from '../../test/read-turns.ts';
import { ConversationWindow, detectDialect } from '../index.ts';

describe('detectDialect()', () => {
  test('tells the formats apart', () => {
    expect(detectDialect(agent('anthropic', 1)).name).toBe('anthropic');
    expect(detectDialect(agent('openai-chat', 1)).name).toBe('openai-chat');
    expect(detectDialect([{ role: 'developer', content: 'be brief' }]).name).toBe('openai-chat');
    expect(detectDialect([user('hi')]).name).toBe('openai-chat');
  });

  test('a window detects the format itself, even if the first messages are plain text', async () => {
    const history = agent('anthropic', 30);
    const window = new ConversationWindow<Wire>({ max_messages: 20 });
    for (let n = 1; n <= history.length; n += 2) {
      const { messages } = await window.fit(history.slice(0, n));
      expect(violationsOf('anthropic', messages)).toEqual([]);
    }
    expect(window.state().dialect).toBe('anthropic');
  });

  test('a restored window keeps its format, whatever part of the history it gets', async () => {
    const history = agent('anthropic', 30);
    const before = new ConversationWindow<Wire>({ max_messages: 20 });
    await before.fit(history);
    const after = new ConversationWindow<Wire>({ max_messages: 20 }, { state: before.state() });
    await after.fit([assistant('done'), user('thanks')], { offset: history.length });
    expect(after.state().dialect).toBe('anthropic');
  });
});
