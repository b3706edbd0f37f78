import { THINKING_REFUSAL as ANTHROPIC } from './anthropic/request/validate.ts';
import { THINKING_REFUSAL as GEMINI } from './gemini/request/validate.ts';
import { THINKING_REFUSAL as RESPONSES } from './openai-responses/request/validate.ts';

const REFUSALS: Readonly<Record<string, RegExp>> = {
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  'openai-responses': RESPONSES,
};

/**
 * True if an error of the API of this dialect is about thinking in the conversation: without it, the request may be accepted.
 * `text`: its code and words, or the body. Without a dialect, of any API. Pure.
 */
export function refusesThinking(text: string, dialect?: string): boolean {
  if (dialect === undefined) return Object.values(REFUSALS).some((refusal) => refusal.test(text));
  return REFUSALS[dialect]?.test(text) === true;
}
