import type { ErrorCategory, ExecutionResult } from '@holdfast/agent';
import type { Chat } from '@holdfast/agent/chat';
import { isHoldfastError, maskSecrets } from 'holdfast';
import { failurePhrase } from '../../view/phrases.ts';

/** An error with advice for the user, keys masked. Pure. */
export function failureText(error: unknown): string {
  const message = maskSecrets(error instanceof Error ? error.message : String(error));
  if (!isHoldfastError(error)) return message;
  // Before the first prompt there is no session that could be missing.
  if (error.code === 'UNKNOWN_SESSION' && typeof error.details.session === 'string')
    return `this session was deleted from outside this chat (${message}). Its messages are gone, and it cannot continue: /exit leaves, and holdfast chat starts a new session for your prompt.`;
  if (error.code !== 'STORE_CONFLICT') return message;
  return `another process, perhaps another chat, wrote to this session. Nothing was sent or lost: its messages are loaded now, and you can send your prompt again. To get a session of your own: /fork, then holdfast chat --resume with the new id.`;
}

/** Why an answer failed; undefined if it succeeded. `isKept`: the prompt is in the session; `isOnce`: there is no next one. Pure. */
export function resultText(result: ExecutionResult, isKept: boolean, isOnce = false): string | undefined {
  if (result.success) return undefined;
  if (result.errorCategory === 'cancelled')
    return isKept ? 'interrupted; everything so far is saved' : 'interrupted before anything was sent';
  const error = maskSecrets(result.error ?? 'the request failed').replace(/[.\s]+$/, '');
  if (result.budget)
    return `${error}. ${isKept ? 'The work so far is saved: say "go on" to continue' : 'Your prompt was not sent: send it again to continue'} with a fresh allowance, or raise ${BOUND_FLAGS[result.budget]}.`;
  const help = isOnce ? undefined : COMMAND_FOR[result.errorCategory ?? 'unknown'];
  const next = isOnce ? '' : ': send another, or /undo it';
  const prompt = isKept ? `Your prompt is saved${next}` : 'Your prompt was not sent';
  return [failurePhrase(error, result.errorCategory), ...(help === undefined ? [] : [help]), `${prompt}.`].join(' ');
}

/** The command of the chat that helps. */
const COMMAND_FOR: Readonly<Partial<Record<ErrorCategory, string>>> = {
  context_overflow: '/context shows what fills the window.',
  invalid_request: '/model chooses another model.',
};

const BOUND_FLAGS = { requests: '--max-rounds', cost: '--max-cost', time: '--max-minutes' } as const;

/** Messages that an answer may have added before it failed. */
const LAST = 50;

/** Whether a prompt is in the session. It is saved before any request; otherwise look at the newest messages. */
export async function isPromptSaved(chat: Chat, text: string, { requests = 0 }: ExecutionResult): Promise<boolean> {
  if (requests > 0) return true;
  const said = await chat.said(LAST);
  // The session may have masked its keys.
  const plain = (words: string) => maskSecrets(words).trim();
  const newest = said.findLast(({ role }) => role === 'user');
  return newest !== undefined && plain(newest.text) === plain(text);
}
