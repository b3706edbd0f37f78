import type { Violation } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import { type GeminiContent, type GeminiPart, isCall, isModels, isResult, partsOf } from './wire.ts';

/** The rules for contents, except pairing, with how to fix a violation. */
export const GEMINI_MESSAGE_RULES = {
  'bad-content': 'Send an object with a role and a list of parts.',
  'bad-role': 'Use the role user or model.',
  'bad-part': 'Use the fields of a part as the API documents them, in camelCase.',
  'no-parts': 'Drop the content.',
  'empty-part': 'Drop the part.',
  'call-in-user': 'Move the functionCall into a content of the model.',
  'result-in-model': 'Move the functionResponse into a content of the user.',
  'first-model': 'Begin with a content of the user.',
  'call-after-model': 'Put the call into the content before it, or a content of the user between them.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type GeminiMessageRule = keyof typeof GEMINI_MESSAGE_RULES;

/** A broken rule, and the index of the part where it is one. */
export interface BrokenRule {
  readonly rule: GeminiMessageRule;
  readonly at?: number;
}

const ROLE = /^(?:user|model|function)$/;
/** Fields that describe a part and say nothing themselves. */
const ABOUT = /^(?:thought(?:Signature)?|media(?:Resolution|Processing)|(?:video|part|speech)Metadata)$/;

/** Every rule above that these contents break. Pure; never throws. */
export function validateGemini(
  contents: readonly GeminiContent[],
  request: { readonly part?: boolean } = {},
): Violation[] {
  return contents.flatMap((content, index) =>
    brokenBy(content, index > 0 || request.part ? contents[index - 1] : 'start').map(({ rule }) => ({
      index,
      rule,
      fix: GEMINI_MESSAGE_RULES[rule],
    })),
  );
}

/** The rules that a content breaks after the one before it, each once; `start` if it is the first of a request. */
export function brokenBy(content: GeminiContent, before: GeminiContent | 'start' | undefined): BrokenRule[] {
  if (!isRecord(content) || !Array.isArray(content.parts) || !content.parts.every(isRecord))
    return [{ rule: 'bad-content' }];
  const parts = partsOf(content);
  const isModel = isModels(content);
  const found: BrokenRule[] = [];
  const report = (rule: GeminiMessageRule, is: (part: GeminiPart) => boolean) => {
    const at = parts.findIndex(is);
    if (at >= 0) found.push({ rule, at });
    return at >= 0;
  };
  if (content.role !== undefined && !ROLE.test(content.role)) found.push({ rule: 'bad-role' });
  if (parts.length === 0) found.push({ rule: 'no-parts' });
  report('bad-part', isMalformed);
  report('empty-part', isEmptyPart);
  if (isModel) report('result-in-model', isResult);
  else report('call-in-user', isCall);
  if (isModel && before === 'start') found.push({ rule: 'first-model' });
  else if (before !== 'start' && isModels(before)) report('call-after-model', (part) => isModel && isCall(part));
  return found;
}

function isMalformed(part: GeminiPart): boolean {
  const { text, functionCall: call, functionResponse: result } = part;
  if ('function_call' in part || 'function_response' in part) return true;
  if ((text ?? '') !== String(text ?? '')) return true;
  return [call, result].some((one) => (one ?? undefined) !== undefined && !(isRecord(one) && one.name));
}

/** A signature may come with an empty text, and goes back with it. */
export function isEmptyPart(part: GeminiPart): boolean {
  if (part.text === '') return !part.thoughtSignature;
  return !Object.entries(part).some(([key, value]) => !ABOUT.test(key) && (value ?? undefined) !== undefined);
}
