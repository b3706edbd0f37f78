import { isRecord } from '../../../json/record.ts';
import { API_PAIR_RULES, type RequestViolation } from '../../../rules/pair-rules.ts';
import { FIELD_RULES, pathText, ruleOf, type ShapeFault } from '../../../rules/shape.ts';
import { brokenBy, GEMINI_MESSAGE_RULES, type GeminiMessageRule } from '../rules.ts';
import { type GeminiContent, isCall, isModels, isResult, partsOf } from '../wire.ts';
import { GEMINI_BODY, GEMINI_CONTENT } from './fields.ts';

/** Matches the words with which the API rejects a signature that it did not make, or that is missing. */
export const THINKING_REFUSAL = /(?:invalid|corrupted) thought.?signature|missing a thought.?signature/i;

/** What is known about a request besides its contents; a rule whose fact is absent is not checked. */
export interface GeminiRequest {
  /** The contents are whole turns from the middle of a longer request. */
  readonly part?: boolean;
  /** True for Gemini 3 and later: calls since the user last spoke need signatures, and results stand alone. */
  readonly signed?: boolean;
  /** Tokens in the whole prompt. */
  readonly input_tokens?: number;
  /** The model's window, in tokens. */
  readonly limit?: number;
  /** The whole body, to check its fields and those of its contents. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Every rule of generateContent that is checked, with how to fix a violation. */
export const GEMINI_RULES = {
  ...GEMINI_MESSAGE_RULES,
  ...API_PAIR_RULES,
  'no-contents': 'Send at least one content.',
  'missing-signature': 'Send the call with its thoughtSignature as the model made it.',
  'mixed-results': 'Put the words into a content of their own, after the results.',
  ...FIELD_RULES,
  'prompt-too-long': 'Send fewer tokens.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type GeminiRule = keyof typeof GEMINI_RULES;

type Report = (index: number, rule: GeminiRule, message: string) => void;

/** What the API says where no other text is known. */
const INVALID = 'Request contains an invalid argument.';
const ORDER =
  'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
const COUNT =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
const ORPHAN = 'Please ensure that function response turn comes immediately after a function call turn.';

const UNSIGNED = `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance.`;

const TEXTS: Readonly<Partial<Record<GeminiMessageRule, (index: number, at: number) => string>>> = {
  'bad-role': () => 'Please use a valid role: user, model.',
  'no-parts': (index) => `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`,
  'empty-part': (index, at) =>
    `* GenerateContentRequest.contents[${index}].parts[${at}].data: required oneof field 'data' must have one initialized field\n`,
  'call-after-model': () => ORDER,
};

/**
 * Every rule of generateContent that these contents break, by content; rules about the request come last and are checked
 * only if `request` states the facts. Pure; never throws.
 */
export function validateGemini(contents: readonly GeminiContent[], request: GeminiRequest = {}): RequestViolation[] {
  const { part, signed, input_tokens: input, limit, body } = request;
  const found: RequestViolation[] = [];
  const report: Report = (index, rule, message) => found.push({ index, rule, message, fix: GEMINI_RULES[rule] });
  for (const [index, content] of contents.entries())
    for (const { rule, at = 0 } of brokenBy(content, index > 0 || part ? contents[index - 1] : 'start')) {
      const isCalled = rule === 'first-model' && partsOf(content).some(isCall);
      report(index, rule, isCalled ? ORDER : (TEXTS[rule]?.(index, at) ?? INVALID));
    }
  if (contents.every((content) => isRecord(content) && partsOf(content).every(isRecord))) {
    checkPairs(contents, report);
    if (signed) checkSigned(contents, report);
  }
  found.sort((a, b) => a.index - b.index);
  if (part) return found;
  if (contents.length === 0)
    report(-1, 'no-contents', '* GenerateContentRequest.contents: contents is not specified\n');
  if (input !== undefined && limit !== undefined && input > limit)
    report(
      -1,
      'prompt-too-long',
      `The input token count (${input}) exceeds the maximum number of tokens allowed (${limit}).`,
    );
  if (body) checkFields(contents, body, report);
  return found;
}

/** The body of the API's error for a violation, with status 400. Pure. */
export function geminiError({ message }: RequestViolation): { code: 400; message: string; status: 'INVALID_ARGUMENT' } {
  return { code: 400, message, status: 'INVALID_ARGUMENT' };
}

/** The content after calls has as many results, and no other content has any. */
function checkPairs(contents: readonly GeminiContent[], report: Report): void {
  let open = 0;
  for (const [index, content] of contents.entries()) {
    const results = partsOf(content).filter(isResult).length;
    if (open === 0 && results > 0 && !isModels(content)) report(index, 'orphan-result', ORPHAN);
    else if (results < open) report(index - 1, 'unanswered-call', COUNT);
    else if (results > open && open > 0) report(index, 'double-result', COUNT);
    open = isModels(content) ? partsOf(content).filter(isCall).length : 0;
  }
  if (open > 0) report(contents.length - 1, 'unanswered-call', COUNT);
}

/** Of calls made together, only the first is signed. Earlier turns of the user need no signatures. */
function checkSigned(contents: readonly GeminiContent[], report: Report): void {
  const asks = (content: GeminiContent) => !isModels(content) && partsOf(content).some((part) => !isResult(part));
  const start = contents.findLastIndex(asks);
  for (const [index, content] of contents.entries()) {
    const parts = partsOf(content);
    const call = parts.find(isCall);
    if (index > start && call && !call.thoughtSignature) {
      const { name } = call.functionCall ?? {};
      const text = `${UNSIGNED} Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
      report(index, 'missing-signature', text);
    }
    if (parts.some(isResult) && !parts.every(isResult)) report(index, 'mixed-results', INVALID);
  }
}

function checkFields(
  contents: readonly GeminiContent[],
  body: Readonly<Record<string, unknown>>,
  report: Report,
): void {
  const reportAt = (index: number) => (fault: ShapeFault) => report(index, ruleOf(fault), faultText(fault));
  for (const [index, content] of contents.entries()) GEMINI_CONTENT(content, ['contents', index], reportAt(index));
  GEMINI_BODY(body, [], reportAt(-1));
}

function faultText({ path, kind, value, expected }: ShapeFault): string {
  const inside = pathText(path.slice(0, -1));
  if (kind === 'extra') {
    const at = inside === '' ? '' : ` at '${inside}'`;
    return `Invalid JSON payload received. Unknown name "${String(path.at(-1))}"${at}: Cannot find field.`;
  }
  if (kind === 'missing') return `* GenerateContentRequest.${pathText(path)}: is not specified\n`;
  const type = `TYPE_${String(expected).toUpperCase()}`;
  return `Invalid value at '${pathText(path)}' (${type}), ${JSON.stringify(value)}`;
}
