import { defined } from '../defined.ts';
import type { ErrorCategory, ExecutionResult } from './provider.ts';

/** The result if nothing was sent because prompt, options, state or key are wrong. The conversation is unchanged. Pure. */
export function notStarted(errorCategory: ErrorCategory, error: string, conversationState: unknown): ExecutionResult {
  const failed = { success: false, output: '', error, errorCategory, filesChanged: [], iterationComplete: false };
  return defined({ ...failed, conversationState });
}
