import { fieldsOf } from '@holdfast/sessions/foreign';
import { isHoldfastError } from 'holdfast';
import { defined } from '../defined.ts';
import { causeOf as networkCause } from '../providers/ask-model.ts';
import type { ErrorCategory, OverBudget } from '../providers/provider.ts';
import { BodyAPIError } from './body-error.ts';
import { type Overflow, overflowOf } from './overflow.ts';
import { BrokenStream, CutOff } from './stream.ts';

/** What went wrong with a request. */
export interface Failure {
  readonly category: ErrorCategory;
  readonly message: string;
  /** The same request may succeed later. */
  readonly again: boolean;
  /** The wait that the server asks for. */
  readonly waitMs?: number;
  readonly overflow?: Overflow;
  readonly overBudget?: OverBudget;
  /** The HTTP status. */
  readonly status?: number;
}

const BY_STATUS: Readonly<Record<number, ErrorCategory>> = {
  401: 'auth',
  402: 'auth',
  403: 'auth',
  408: 'network',
  409: 'overloaded',
  429: 'rate_limit',
  503: 'overloaded',
  529: 'overloaded',
};
const BY_TYPE: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/rate_limit|insufficient_quota/, 'rate_limit'],
  [/overloaded/, 'overloaded'],
  [/authentication|permission|billing|invalid_api_key/, 'auth'],
  [/timeout_error|api_error|server_error/, 'network'],
  [/invalid_request|not_found/, 'invalid_request'],
];
/** For errors without status and type. */
const BY_WORDS: readonly (readonly [RegExp, ErrorCategory])[] = [
  [/rate.?limit|too many requests/i, 'rate_limit'],
  [/overloaded|at capacity|temporarily unavailable/i, 'overloaded'],
  [/\b(?:api ?key|authentication|credentials)\b|insufficient (?:balance|credits?|funds)/i, 'auth'],
  [/^invalid (?:params?|parameters?|request|arguments?)\b/i, 'invalid_request'],
];
const NETWORK = /fetch failed|failed to fetch|terminated|network|socket|other side closed/i;
const AGAIN: readonly ErrorCategory[] = ['rate_limit', 'overloaded', 'network'];

/** Classifies an error of a client, a stream, the network or the engine. Pure; never throws. */
export function failureOf(thrown: unknown): Failure {
  const error = innermost(thrown);
  const { status, message, type, code, headers, figures } = reportOf(error);
  const overflow = isHoldfastError(error)
    ? undefined
    : overflowOf({ ...figures, status, message, code: `${type} ${code}` });
  if (overflow) return { category: 'context_overflow', message, again: false, overflow };
  if (isHoldfastError(error)) {
    if (error.code !== 'OVER_BUDGET') return { category: 'invalid_request', message, again: false };
    const { floor, max } = error.details as unknown as OverBudget;
    return { category: 'context_overflow', message, again: false, overBudget: { floor, max } };
  }
  const category = categoryOf(error, status, `${type} ${code}`, message);
  // Waiting does not restore a used-up quota.
  const again = AGAIN.includes(category) && !/insufficient_quota/.test(`${type} ${code}`);
  return defined({ category, message, again, waitMs: waitOf(headers), status });
}

/** The error that another one wraps. */
function innermost(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined;
  if (error instanceof CutOff) return innermost(cause);
  return isHoldfastError(cause) || cause instanceof BodyAPIError ? cause : error;
}

function categoryOf(error: unknown, status: number | undefined, type: string, message: string): ErrorCategory {
  if (status !== undefined) {
    const known = BY_STATUS[status];
    return known ?? (status >= 500 ? 'network' : status >= 400 ? 'invalid_request' : 'unknown');
  }
  const typed = BY_TYPE.find(([pattern]) => pattern.test(type));
  if (typed) return typed[1];
  const worded = BY_WORDS.find(([pattern]) => pattern.test(message));
  if (worded) return worded[1];
  if (error instanceof BrokenStream || error instanceof SyntaxError) return 'network';
  // `fetch` also throws it for an invalid address or header: a retry does not help there.
  if (error instanceof TypeError) return NETWORK.test(message) ? 'network' : 'unknown';
  const name = error instanceof Error ? error.constructor.name + error.name : '';
  return /Connection|Fetch|Socket|APIError/.test(name) ? 'network' : 'unknown';
}

/** The clients keep what the API said in different places. */
function reportOf(error: unknown) {
  const outer = fieldsOf(error);
  const body = fieldsOf(outer.error);
  const inner = { ...body, ...fieldsOf(body.error) };
  const text = [inner.message, outer.message].find((value) => typeof value === 'string' && value !== '');
  return {
    status: [outer.status, inner.status_code, inner.http_code, inner.code].map(Number).find(isStatus),
    message: String(text ?? error) + causeOf(outer.cause),
    type: String(outer.type ?? inner.type ?? ''),
    code: String(outer.code ?? inner.code ?? ''),
    headers: outer.headers,
    /** Other fields of the error. */
    figures: inner,
  };
}

/** If the answer has status 200 or none, its error may carry the right one. */
function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value < 600;
}

function causeOf(cause: unknown): string {
  if (!(cause instanceof Error) || cause.message === '') return '';
  const behind = networkCause(cause);
  return ` (${behind === cause.name ? cause.message : behind})`;
}

const MOST_CHARS = 2_000;

/** Shortens a message, since a server may answer with a whole page. Remove keys first. Pure. */
export function shortened(message: string): string {
  if (message.length <= MOST_CHARS) return message;
  return `${message.slice(0, MOST_CHARS).toWellFormed()} … (${message.length} characters in all)`;
}

function waitOf(headers: unknown): number | undefined {
  if (!(headers instanceof Headers)) return undefined;
  const ms = Number(headers.get('retry-after-ms') ?? Number.NaN);
  if (ms >= 0) return ms;
  const after = headers.get('retry-after');
  if (after === null) return undefined;
  const wait = Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1_000;
  return wait >= 0 ? wait : undefined;
}
