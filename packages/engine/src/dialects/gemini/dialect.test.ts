import { describe, expect, test } from 'vitest';
import { ConversationWindow, detectDialect, gemini } from '../../index.ts';
import { GEMINI_UNSIGNED, type GeminiContent, type GeminiPart, validateGemini } from '../../rules/index.ts';

const user = (...parts: readonly GeminiPart[]): GeminiContent => ({ role: 'user', parts });
const model = (...parts: readonly GeminiPart[]): GeminiContent => ({ role: 'model', parts });
const dialect = gemini();
const picture: GeminiPart = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo'.repeat(40) } };
const result = (response: Readonly<Record<string, unknown>>, parts?: readonly GeminiPart[]): GeminiContent =>
  user({ functionResponse: { name: 'look', response, ...(parts ? { parts } : {}) } });

describe('gemini', () => {
  test('is detected by its parts, and messages of other formats with parts are not taken for it', () => {
    expect(detectDialect([user({ text: 'Go.' })]).name).toBe('gemini');
    expect(detectDialect([{ parts: [{ text: 'Go.' }] }]).name).toBe('gemini');
    expect(dialect.recognizes({ role: 'user', parts: [{ type: 'text', text: 'Go.' }] })).toBe(false);
    expect(dialect.recognizes({ role: 'assistant', parts: [{ text: 'Go.' }] })).toBe(false);
    expect(dialect.recognizes({ role: 'user', content: 'Go.' })).toBe(false);
  });

  test('pairs calls without ids with their results by name and order, across folds', async () => {
    const texts = (n: number) => [`read ${n}`, `search ${n}`, `read again ${n}`];
    const name = (text: string) => text.split(' ')[0] ?? '';
    const history: GeminiContent[] = [user({ text: 'Go.' })];
    for (let n = 0; n < 20; n++) {
      history.push(model(...texts(n).map((text) => ({ functionCall: { name: name(text), args: { text } } }))));
      const response = (text: string) => ({ output: `${text}\n`.repeat(60) });
      history.push(
        user(...texts(n).map((text) => ({ functionResponse: { name: name(text), response: response(text) } }))),
      );
    }
    const window = new ConversationWindow({ max_tokens: 3_000, max_messages: 0 }, { dialect });
    const { messages, receipt } = await window.fit(history);
    expect(receipt?.dropped).toBeGreaterThan(0);
    expect(validateGemini(messages)).toEqual([]);
    expect((await window.recall('m2')).messages).toEqual([history[2]]);
  });

  test('shortens arguments only of calls that are not signed', () => {
    const args = { text: 'long' };
    const content = model(
      { functionCall: { name: 'a', args }, thoughtSignature: 'c2ln' },
      { functionCall: { name: 'a', args } },
    );
    const short = { text: 'short' };
    const masked = dialect.maskCalls?.(
      content,
      new Map([
        [0, short],
        [1, short],
      ]),
    );
    expect(masked?.parts.map(({ functionCall: call }) => call?.args)).toEqual([args, short]);
  });

  test('keeps the signatures of calls when thoughts are removed', () => {
    const call: GeminiPart = { functionCall: { name: 'a', args: {} }, thoughtSignature: 'c2ln' };
    expect(dialect.withoutThinking(model({ text: 'hm', thought: true }, call))).toEqual(model(call));
    expect(dialect.withoutThinking(model({ text: 'hm', thought: true }))).toBeUndefined();
  });

  test('marks the first call as unsigned for another server, and leaves everything else as it is', () => {
    const call: GeminiPart = { functionCall: { name: 'a', args: {} } };
    const content = model({ text: 'hm', thought: true }, { ...call, thoughtSignature: 'c2ln' }, call);
    const bare = model({ ...call, thoughtSignature: GEMINI_UNSIGNED }, call);
    expect(dialect.unsigned?.(content)).toEqual(bare);
    for (const same of [bare, model({ text: 'Yes.' }), user({ text: 'Go.' })])
      expect(dialect.unsigned?.(same)).toBe(same);
  });

  test.each([
    ['its only text', { result: 'words' }, 'words'],
    ['an error', { error: 'no such file' }, 'no such file'],
    ['several fields', { stdout: 'a', code: 0 }, '{"stdout":"a","code":0}'],
    ['nothing', {}, '{}'],
  ])('reads %s of a response, and masks it in its own field', (_, response, text) => {
    const { results } = dialect.read(result(response));
    expect(results).toEqual([{ id: '#0 look', content: text, error: 'error' in response }]);
    const [part] = dialect.maskResults(result(response), new Map([[0, 'short']])).parts;
    const field = Object.keys(response).length === 1 ? Object.keys(response)[0] : 'output';
    expect(part?.functionResponse?.response).toEqual({ [field ?? '']: 'short' });
  });

  test('counts images by their size in pixels, in results too, and a mask drops them', () => {
    const content = result({ output: 'seen' }, [picture]);
    const { chars, media, mediaSizes, results } = dialect.read(content);
    expect(media).toBeGreaterThanOrEqual(1_120);
    expect(chars).toBeLessThan(100);
    expect(mediaSizes?.images).toBe(1);
    expect(results[0]?.content).toEqual([{ text: 'seen' }, picture]);
    expect(JSON.stringify(dialect.maskResults(content, new Map([[0, 'short']])))).not.toContain('inlineData');
  });

  test('puts a reminder inside of the last result, next to its files: newer models refuse text beside results', () => {
    const added = dialect.append?.(result({ output: 'seen' }, [picture]), 'Remember.') as GeminiContent;
    expect(added).toEqual(result({ output: 'seen\n\nRemember.' }, [picture]));
    expect(dialect.append?.(user({ text: 'Go.' }), 'Remember.')).toEqual(user({ text: 'Go.' }, { text: 'Remember.' }));
    expect(dialect.append?.(model({ text: 'Yes.' }), 'Remember.')).toBeUndefined();
  });

  test('never shortens words with a part that text cannot replace', () => {
    const content = model({ executableCode: { language: 'PYTHON', code: 'print(1)' } }, { text: 'long' });
    expect(dialect.maskText(content, 'short')).toBe(content);
    expect(dialect.maskText(model({ text: 'long' }, picture), 'short')).toEqual(model({ text: 'short' }));
  });
});
