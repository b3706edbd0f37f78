import { expect, test } from 'vitest';
import { ConversationWindow, type WindowState } from '../src/index.ts';
import { agentHistory, text } from './agent-histories.ts';
import { dialectOf, FORMATS, type Format, say, type Wire } from './histories.ts';

const config = { max_messages: 0, max_tokens: 3_000 };

/** The state of a window that has folded, with this message at a place of its view. */
async function tampered(format: Format, at: number, message: unknown): Promise<WindowState<Wire>> {
  const window = new ConversationWindow<Wire>(config, { dialect: dialectOf(format) });
  await window.fit([...agentHistory(format, 20, (i) => ({ result: text(600, i) })), say(format, 'user', 'Well?')]);
  const state = JSON.parse(JSON.stringify(window.state()));
  return { ...state, view: state.view.with(at, message) };
}

test.each(FORMATS)('a state with a message that may not be sent is refused: %s', async (format) => {
  for (const [at, message] of [
    [0, {}],
    [-1, { role: format === 'gemini' ? 'model' : 'assistant' }],
    [-1, { role: 'nobody', content: null, parts: null }],
  ] as const) {
    const state = await tampered(format, at, message);
    expect(() => new ConversationWindow<Wire>(config, { state })).toThrow(
      expect.objectContaining({ code: 'BAD_STATE', message: expect.stringMatching(/^parts\.state/) }),
    );
  }
});

test.each(FORMATS)('a state whose view lost the result of a call is refused: %s', async (format) => {
  const window = new ConversationWindow<Wire>(config, { dialect: dialectOf(format) });
  const [ask, , ...calls] = agentHistory(format, 3, (i) => ({ result: text(600, i) }));
  const history = [ask as Wire, ...calls];
  await window.fit(history);
  const state = JSON.parse(JSON.stringify(window.state()));
  const view = state.view.with(-1, say(format, 'user', 'Never mind.'));
  expect(() => new ConversationWindow<Wire>(config, { state: { ...state, view } })).toThrow(
    expect.objectContaining({ code: 'BAD_STATE' }),
  );
});
