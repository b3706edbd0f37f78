import type { CommandEnd, ErrorCategory } from '@holdfast/agent';
import type { Receipt } from 'holdfast';
import { counted, tokens } from './amounts.ts';
import { clean } from './clean.ts';

/** `fold 3: 24 messages → 12, ~18k → 7k tokens`. Pure. */
export function foldPhrase(receipt: Receipt, arrow: string): string {
  const { before, after, reason } = receipt;
  const name = reason === 'undo' || reason === 'redo' ? `${reason} fold` : `fold ${receipt.fold}`;
  const about = receipt.estimated ? '~' : '';
  return (
    `${name}: ${counted(before.messages, 'message')} ${arrow} ${after.messages}, ` +
    `${about}${tokens(before.tokens)} ${arrow} ${tokens(after.tokens)} tokens`
  );
}

/** `3 turns masked, 7 dropped`; empty if there were none. Pure. */
export function verdictPhrase({ masked, dropped }: Receipt): string {
  return masked + dropped === 0 ? '' : `${counted(masked, 'turn')} masked, ${dropped} dropped`;
}

/** How a failed command ended: `exit 3`; otherwise empty. Pure. */
export function endPhrase({ exitCode, signal, timedOut }: Partial<CommandEnd>): string {
  if (timedOut) return 'timed out';
  if (exitCode === null) return signal === undefined ? 'killed by a signal' : `killed by ${signal}`;
  return exitCode === undefined || exitCode === 0 ? '' : `exit ${exitCode}`;
}

/** A failed call and how its command ended: `check_disk (exit 3)`. Pure. */
export function failedPhrase(call: { readonly name: string } & Partial<CommandEnd>): string {
  const ended = endPhrase(call);
  return clean(`${call.name}${ended === '' ? '' : ` (${ended})`}`);
}

/** Why a request failed, for people. Pure. */
export function categoryPhrase(category: ErrorCategory): string {
  return CATEGORIES[category];
}

/** The message after Ctrl-C. Pure. */
export function interruptPhrase(interrupts: number): string {
  return interrupts === 1 ? 'Stopping after the current step… press Ctrl-C again to stop now' : 'Stopping now…';
}

const CATEGORIES: Record<ErrorCategory, string> = {
  rate_limit: 'rate limit reached',
  overloaded: 'the API is overloaded',
  network: 'network error',
  auth: 'the API key was rejected',
  invalid_request: 'the request was rejected',
  context_overflow: 'the conversation is too long',
  timeout: 'timed out',
  cancelled: 'the request was cancelled',
  unknown: 'the request failed',
};
