import type { Dialect } from '../dialect.ts';
import { brokenRule } from '../errors.ts';
import { readTurns } from './read-turns.ts';

/** Throws INVALID_HISTORY for the first rule of pairing or of the wire format that these messages break. */
export function checkMessages<M>(dialect: Dialect<M>, messages: readonly M[], rest?: boolean): void {
  readTurns(dialect, messages, 0, 0);
  checkRules(dialect, messages, 0, false, rest);
}

/** Throws INVALID_HISTORY for the first rule that these messages break as the end of a longer request. */
export function checkPart<M>(dialect: Dialect<M>, messages: readonly M[], first: number, rest?: boolean): void {
  checkRules(dialect, messages, first, true, rest);
}

/** With `rest` nothing is about to be sent, so the rule about how a request may end does not apply. */
export function checkRules<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  first: number,
  part: boolean,
  rest = false,
): void {
  const violation = dialect.validate(messages, { part }).find(({ rule }) => !rest || rule !== 'trailing-whitespace');
  if (violation) throw brokenRule({ ...violation, index: first + Math.max(0, violation.index) });
}
