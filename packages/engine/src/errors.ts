import type { Violation } from './dialect.ts';

/** What went wrong, for callers that branch on it. */
export type HoldfastErrorCode =
  | 'INVALID_HISTORY'
  | 'OVER_BUDGET'
  | 'BAD_CONFIG'
  | 'BAD_STATE'
  | 'BAD_DIALECT'
  | 'BAD_PIN'
  | 'PROVIDER_FAILED'
  | 'STORE_CONFLICT'
  | 'UNKNOWN_SESSION'
  | 'BAD_STORE'
  | 'UNKNOWN_HANDLE'
  | 'WINDOW_BUSY';

const MARK = Symbol.for('holdfast.error');

/** Holdfast's only error. `details` is plain data whose shape depends on `code`. */
export class HoldfastError extends Error {
  readonly code: HoldfastErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly [MARK] = true;

  constructor(
    code: HoldfastErrorCode,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
    cause?: unknown,
  ) {
    super(message, { cause });
    this.name = 'HoldfastError';
    this.code = code;
    this.details = details;
  }
}

/** True for a HoldfastError from any copy or version of this package. */
export function isHoldfastError(error: unknown): error is HoldfastError {
  return typeof error === 'object' && error !== null && MARK in error;
}

/** A value as text for an error message. Never throws. */
export function shown(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** Throws INVALID_HISTORY if the history is not a list. */
export function checkList(history: unknown): void {
  if (!Array.isArray(history)) throw brokenRule({ index: 0, rule: 'bad-history', fix: 'Pass a list of messages.' });
}

/** The error for a history that breaks a rule, with the index and the fix. */
export function brokenRule(violation: Violation & { readonly ids?: readonly string[] }): HoldfastError {
  const { index, rule, fix, message } = violation;
  return new HoldfastError(
    'INVALID_HISTORY',
    `message ${String(index)} breaks the rule "${rule}"${message ? ` (${message})` : ''}: ${fix}`,
    { ...violation },
  );
}

/** The error for a message that is circular or not JSON; any other error unchanged. */
export function refusal(error: unknown, index: number): unknown {
  if (!(error instanceof RangeError || error instanceof TypeError)) return error;
  return brokenRule({ index, rule: 'bad-message', fix: 'Send plain JSON.', message: error.message });
}

/** The error for an invalid answer of a strategy. */
export function badAnswer(strategy: string | undefined, wrong: string): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `strategy ${strategy ?? 'custom'}: ${wrong}`, { key: 'strategy' });
}
