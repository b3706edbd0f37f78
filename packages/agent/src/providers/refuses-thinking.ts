import { THINKING_REFUSAL as ANTHROPIC } from './anthropic-api/thinking-refusal.ts';
import { THINKING_REFUSAL as GEMINI } from './gemini-api/thinking-refusal.ts';
import { THINKING_REFUSAL as RESPONSES } from './openai-api/responses/thinking-refusal.ts';

const REFUSALS: Readonly<Record<string, RegExp>> = {
  anthropic: ANTHROPIC,
  gemini: GEMINI,
  'openai-responses': RESPONSES,
};

/**
 * True if the API of this dialect answered with an error about thinking in the conversation: without it, the request may be
 * accepted. `text`: the body of the error. Pure.
 */
export function refusesThinking(dialect: string, status: number, text: string): boolean {
  return (status === 400 || status === 404) && REFUSALS[dialect]?.test(text) === true;
}
