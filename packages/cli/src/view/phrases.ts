import type { CommandEnd, ErrorCategory, ProviderEvent } from '@holdfast/agent';
import { maskSecrets, type Receipt } from 'holdfast';
import { counted, duration, tokens } from './amounts.ts';
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

/** `reminder: lines of src/a.ts and 2 more (m41, m52), ~1.2k tokens`. Pure. */
export function reminderPhrase({ about, handles, tokens: size }: Omit<Reminded, 'type'>): string {
  const [first = '', ...others] = about;
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const from = handles.length === 0 ? '' : ` (${[...new Set(handles)].join(', ')})`;
  return `reminder: lines of ${clean(first)}${more}${from}, ~${tokens(size)} tokens`;
}

type Reminded = Extract<ProviderEvent, { type: 'reminder-add' }>;

/** `3 turns masked, 7 dropped`, `7 turns dropped`; empty if there were none. Pure. */
export function verdictPhrase({ masked, dropped }: Pick<Receipt, 'masked' | 'dropped'>): string {
  if (masked === 0) return dropped === 0 ? '' : `${counted(dropped, 'turn')} dropped`;
  return `${counted(masked, 'turn')} masked${dropped === 0 ? '' : `, ${dropped} dropped`}`;
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
function categoryPhrase(category: ErrorCategory): string {
  return CATEGORIES[category];
}

/** A request that is sent again. */
export type Retry = Omit<Extract<ProviderEvent, { type: 'request-retry' }>, 'type'>;

/** `network error: … at http://…; attempt 2 of 9 in 1.2s`. Pure. */
export function retryPhrase({ category, waitMs, message, attempt, attempts }: Retry): string {
  const why = message === undefined ? '' : `: ${maskSecrets(clean(message)).replace(/[.\s]+$/, '')}`;
  const which = attempt === undefined ? 'retrying' : `attempt ${attempt} of ${attempts}`;
  return `${categoryPhrase(category)}${why}; ${which} in ${duration(waitMs)}`;
}

/** Why requests failed, and what to do about it. Pure. */
export function failurePhrase(error: string, category: ErrorCategory = 'unknown'): string {
  const why = maskSecrets(error).replace(/[.\s]+$/, '');
  const advice = advicePhrase(category);
  const kind = category === 'unknown' ? '' : `${categoryPhrase(category)}: `;
  return `${kind}${why}.${advice === undefined ? '' : ` ${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`}`;
}

/** What to do about a failure; undefined if that depends on where it happened. Pure. */
export function advicePhrase(category: ErrorCategory): string | undefined {
  return ADVICE[category];
}

const ADVICE: Readonly<Partial<Record<ErrorCategory, string>>> = {
  auth: 'check that the key is complete, still valid, and from this provider',
  network: 'check your network or proxy, and --base-url if you gave one',
  timeout: 'check your network or proxy, and --base-url if you gave one',
  rate_limit: 'the key was recognized, but has no allowance left: check your plan and billing, or try later',
  overloaded: 'the server is busy: try again later',
  invalid_request: 'check --model and --base-url',
};

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
