import type { ExecutionResult } from '@holdfast/agent';
import { isHoldfastError, maskSecrets } from 'holdfast';

/** What went wrong, and what a person can do about it, with no keys in it. Pure. */
export function failureText(error: unknown): string {
  const message = maskSecrets(error instanceof Error ? error.message : String(error));
  if (!isHoldfastError(error) || error.code !== 'STORE_CONFLICT') return message;
  return `somebody else has written to this session, in another chat perhaps (${message}). Nothing was sent, and nothing is lost: what they wrote is read now, and your prompt can be said after it. For a conversation of your own: /fork, then holdfast chat --resume with the id that it gives.`;
}

/** How an answer ended, unless it ended well. `isKept`: what was asked is in the session. Pure. */
export function resultText(result: ExecutionResult, isKept: boolean): string | undefined {
  if (result.success) return undefined;
  if (result.errorCategory === 'cancelled')
    return isKept ? 'interrupted; what was said up to here is kept' : 'interrupted before anything was said';
  const error = maskSecrets(result.error ?? 'the request failed').replace(/[.\s]+$/, '');
  const prompt = isKept ? 'Your prompt is kept: say more, or /undo takes it back' : 'Your prompt was not said';
  return `${error}. ${ADVICE[result.errorCategory ?? 'unknown'] ?? ''}${prompt}.`;
}

const ADVICE: Readonly<Record<string, string>> = {
  auth: 'Check the key, and start again with --resume. ',
  context_overflow: '/compact makes room. ',
};
