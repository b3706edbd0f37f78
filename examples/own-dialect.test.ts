import { ConversationWindow } from 'holdfast';
import { type Fixture, testDialect } from 'holdfast/testing';
import { expect, test } from 'vitest';
import { type GeminiContent, type GeminiPart, gemini } from './own-dialect.ts';

const user = (...parts: GeminiPart[]): GeminiContent => ({ role: 'user', parts });
const model = (...parts: GeminiPart[]): GeminiContent => ({ role: 'model', parts });
const call = { functionCall: { id: 'c1', name: 'search', args: { pattern: 'x' } }, thoughtSignature: 'c2ln' };

const fixture: Fixture<GeminiContent> = {
  user: (text) => user({ text }),
  assistant: (text, calls) => [
    model(
      ...(text === '' ? [] : [{ text }]),
      ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input }, thoughtSignature: 'c2ln' })),
    ),
  ],
  results: (results) => [
    user(
      ...results.map(({ id, name, content }) => ({ functionResponse: { id, name, response: { output: content } } })),
    ),
  ],
  failed: (results) => [
    user(...results.map(({ id, name, content }) => ({ functionResponse: { id, name, response: { error: content } } }))),
  ],
  thinking: (thought, text, calls) =>
    fixture.assistant(text, calls).map(({ parts }) => model({ text: thought, thought: true }, ...parts)),
  image: (text, data) => user({ text }, { inlineData: { mimeType: 'image/png', data } }),
  broken: [
    { rule: 'first-model', index: 0, messages: [model({ text: 'Hello.' })] },
    { rule: 'no-parts', index: 0, messages: [user()] },
    { rule: 'empty-text', index: 1, messages: [user({ text: 'Go.' }), user({ text: '' })] },
    { rule: 'call-of-user', index: 0, messages: [user(call)] },
    { rule: 'call-after-model', index: 2, messages: [user({ text: 'Go.' }), model({ text: 'Yes.' }), model(call)] },
  ],
};

testDialect(gemini, fixture, test);

test('calls without ids are paired with their results by name and order, across folds', async () => {
  const parts = (n: number) => [`read ${n}`, `search ${n}`, `read again ${n}`];
  const name = (text: string) => text.split(' ')[0] ?? '';
  const history: GeminiContent[] = [user({ text: 'Go.' })];
  for (let n = 0; n < 20; n++) {
    history.push(model(...parts(n).map((text) => ({ functionCall: { name: name(text), args: { text } } }))));
    const response = (text: string) => ({ output: `${text}\n`.repeat(60) });
    history.push(
      user(...parts(n).map((text) => ({ functionResponse: { name: name(text), response: response(text) } }))),
    );
  }
  const window = new ConversationWindow({ max_tokens: 3_000 }, { dialect: gemini });
  const { messages, receipt } = await window.fit(history);
  expect(receipt?.dropped).toBeGreaterThan(0);
  expect(gemini.validate(messages)).toEqual([]);
  expect((await window.recall('m2')).messages).toEqual([history[2]]);
});
