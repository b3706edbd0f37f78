import type { ExecutionResult } from '@holdfast/agent';
import { isHoldfastError, maskSecrets } from 'holdfast';

/** What went wrong, and what a person can do about it, with no keys in it. Pure. */
export function failureText(error: unknown): string {
  const message = maskSecrets(error instanceof Error ? error.message : String(error));
  if (!isHoldfastError(error)) return message;
  // Where nothing was said yet there is no session that could be missing.
  if (error.code === 'UNKNOWN_SESSION' && typeof error.details.session === 'string')
    return `this session was deleted meanwhile, by somebody else (${message}). What was said in it is gone, and nothing more can be: /exit leaves, and holdfast chat begins a new session, where your prompt can be said.`;
  if (error.code !== 'STORE_CONFLICT') return message;
  return `somebody else has written to this session, in another chat perhaps (${message}). Nothing was sent, and nothing is lost: what they wrote is read now, and your prompt can be said after it. For a conversation of your own: /fork, then holdfast chat --resume with the id that it gives.`;
}

/** How an answer ended, unless it ended well. `isKept`: what was asked is in the session. Pure. */
export function resultText(result: ExecutionResult, isKept: boolean): string | undefined {
  if (result.success) return undefined;
  if (result.errorCategory === 'cancelled')
    return isKept ? 'interrupted; what was said up to here is kept' : 'interrupted before anything was said';
  const error = maskSecrets(result.error ?? 'the request failed').replace(/[.\s]+$/, '');
  if (result.budget)
    return `${error}. ${isKept ? 'What was done is kept: say "go on" to go on' : 'Your prompt was not said: say it again to go on'}, with as much again, or raise ${BOUND_FLAGS[result.budget]}.`;
  const prompt = isKept ? 'Your prompt is kept: say more, or /undo takes it back' : 'Your prompt was not said';
  return `${error}. ${ADVICE[result.errorCategory ?? 'unknown'] ?? ''}${prompt}.`;
}

const BOUND_FLAGS = { requests: '--max-rounds', cost: '--max-cost', time: '--max-minutes' } as const;

const ADVICE: Readonly<Record<string, string>> = {
  auth: 'Check the key, and start again with --resume. ',
  context_overflow: '/compact makes room. ',
};
