import { describe, expect, test } from 'vitest';
import {
  GEMINI_RULES,
  type GeminiContent,
  type GeminiPart,
  type GeminiRequest,
  geminiError,
  validateGemini,
} from '../../../rules/index.ts';

const user = (...parts: readonly GeminiPart[]): GeminiContent => ({ role: 'user', parts });
const model = (...parts: readonly GeminiPart[]): GeminiContent => ({ role: 'model', parts });
const go = user({ text: 'Go.' });
const call: GeminiPart = { functionCall: { name: 'look', args: {} }, thoughtSignature: 'c2ln' };
const unsigned: GeminiPart = { functionCall: { name: 'look', args: {} } };
const result: GeminiPart = { functionResponse: { name: 'look', response: { output: 'seen' } } };
const any = (value: unknown) => value as GeminiContent;

type Row = readonly [
  rule: keyof typeof GEMINI_RULES,
  index: number,
  contents: GeminiContent[],
  request?: GeminiRequest,
];

const body = (more: Readonly<Record<string, unknown>>) => ({ body: { contents: [go], ...more } });

const ROWS: readonly Row[] = [
  ['bad-content', 0, [any({ role: 'user', content: 'Go.' })]],
  ['bad-content', 0, [any(null)]],
  ['bad-role', 0, [any({ role: 'assistant', parts: [{ text: 'Go.' }] })]],
  ['bad-part', 0, [user({ functionCall: {} } as GeminiPart)]],
  ['no-parts', 1, [go, user()]],
  ['empty-part', 1, [go, model({ text: '' })]],
  ['call-in-user', 0, [user(call), user(result)]],
  ['result-in-model', 1, [go, model(result)]],
  ['first-model', 0, [model({ text: 'Hello.' }), go]],
  ['call-after-model', 2, [go, model({ text: 'Yes.' }), model(call), user(result)]],
  ['unanswered-call', 1, [go, model(call, call), user(result)]],
  ['unanswered-call', 1, [go, model(call)]],
  ['unanswered-call', 1, [go, model(call), go]],
  ['orphan-result', 1, [go, user(result)]],
  ['orphan-result', 3, [go, model(call), user(result), user(result)]],
  ['double-result', 2, [go, model(call), user(result, result)]],
  ['missing-signature', 1, [go, model(unsigned), user(result)], { signed: true }],
  ['mixed-results', 2, [go, model(call), user(result, { text: 'And?' })], { signed: true }],
  ['no-contents', -1, []],
  ['prompt-too-long', -1, [go], { input_tokens: 20, limit: 10 }],
  ['unknown-parameter', -1, [go], body({ messages: [] })],
  ['unknown-parameter', 0, [user({ text: 'Go.', cache_control: {} } as GeminiPart)], body({})],
  ['bad-field', -1, [go], body({ generationConfig: { temperature: 'hot' } })],
  ['bad-field', -1, [go], { body: {} }],
];

describe('the rules of generateContent', () => {
  test.each(ROWS.map((row) => [row[0], row[1], row] as const))('%s at %i', (rule, index, [, , contents, request]) => {
    const found = validateGemini(contents, request);
    expect(found.map((one) => [one.rule, one.index])).toContainEqual([rule, index]);
    for (const one of found) {
      expect(one.fix).toBe(GEMINI_RULES[one.rule as keyof typeof GEMINI_RULES]);
      expect(geminiError(one)).toEqual({ code: 400, message: one.message, status: 'INVALID_ARGUMENT' });
    }
  });

  test('every rule has an example', () => {
    expect(new Set(ROWS.map(([rule]) => rule))).toEqual(new Set(Object.keys(GEMINI_RULES)));
  });

  test.each([
    ['a list of contents without roles', [{ parts: [{ text: 'Go.' }] }]],
    ['two contents of the user', [go, go]],
    ['two contents of the model', [go, model({ text: 'Yes.' }), model({ text: 'Done.' }), go]],
    ['results and then words', [go, model(call), user(result), go]],
    ['only the first of parallel calls signed', [go, model(call, unsigned), user(result, result)]],
    ['unsigned calls before the user last spoke', [go, model(unsigned), user(result), model({ text: 'Seen.' }), go]],
    ['a signature without text', [go, model({ text: '', thoughtSignature: 'c2ln' }), go]],
    ['code that the model ran', [go, model({ executableCode: {} }, { codeExecutionResult: {} }), go]],
  ] as const)('accepts %s', (_, contents) => {
    expect(validateGemini(contents, { signed: true })).toEqual([]);
  });

  test('of a part of a request, the first content may be the model’s', () => {
    expect(validateGemini([model({ text: 'Yes.' }), go], { part: true })).toEqual([]);
  });
});
