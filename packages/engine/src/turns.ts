import { isRecord } from './content.ts';
import type { Dialect, Reading, Violation } from './dialect.ts';
import { HoldfastError } from './errors.ts';

/** A run of messages that must stay together, as it arrived. */
export interface RawTurn<M> {
  /** Place in the history of its first message. */
  readonly from: number;
  readonly messages: readonly M[];
  readonly readings: readonly Reading[];
}

const NONE: readonly string[] = [];

/** The rules of pairing, with what to do when one is broken. */
export const PAIR_RULES = {
  'unanswered-call': 'Answer each call right after its message, or drop it.',
  'orphan-result': 'Drop the result, or keep its call before it.',
  'double-result': 'Keep one result for each call.',
  'interrupted-call': 'Put the results of the calls before it first.',
  'duplicate-call-id': 'Give each call an id of its own.',
} as const satisfies Readonly<Record<string, string>>;

/**
 * Parts messages into turns: a message with calls and all its results, a joined message and the next, a system message
 * that must follow the user and what it follows, else one message each. `first` is the history index of the first message. Throws INVALID_HISTORY with index, rule and fix.
 */
export function readTurns<M>(dialect: Dialect<M>, messages: readonly M[], start: number, first: number): RawTurn<M>[] {
  const turns: RawTurn<M>[] = [];
  let open: string[] = [];
  let answered = NONE;
  let current: { from: number; messages: M[]; readings: Reading[] } | undefined;
  let caller = first;
  let joined = false;
  for (let i = start; i < messages.length; i++) {
    const message = messages[i] as M;
    const index = first + i - start;
    if (!isRecord(message)) throw brokenRule({ index, rule: 'bad-message', fix: 'Send an object with a role.' });
    const reading = dialect.read(message);
    const belongs = joined || (reading.role === 'system' && dialect.systemInside === 'after-user');
    if (open.length === 0 && !belongs) current = undefined;
    if (reading.results.length > 0) {
      for (const { id } of reading.results) {
        const place = open.indexOf(id);
        if (place < 0) throw unpaired(index, answered.includes(id) ? 'double-result' : 'orphan-result', [id]);
        open.splice(place, 1);
      }
      if (dialect.resultsTogether && open.length > 0) throw unpaired(caller, 'unanswered-call', open);
    } else {
      if (open.length > 0) {
        throw reading.role === 'assistant'
          ? unpaired(caller, 'unanswered-call', open)
          : unpaired(index, 'interrupted-call', open);
      }
      caller = index;
      answered = reading.calls.length === 0 ? NONE : reading.calls.map((call) => call.id);
      if (answered.length > 1 && new Set(answered).size < answered.length)
        throw unpaired(index, 'duplicate-call-id', answered);
      if (answered.length > 0) open = [...answered];
    }
    if (!current) {
      current = { from: index, messages: [], readings: [] };
      turns.push(current);
    }
    current.messages.push(message);
    current.readings.push(reading);
    if (reading.role === 'assistant') joined = reading.joined;
  }
  if (open.length > 0) throw unpaired(caller, 'unanswered-call', open);
  return turns;
}

/** The error for calls and results that do not pair. */
export function unpaired(index: number, rule: keyof typeof PAIR_RULES, ids: readonly string[]): HoldfastError {
  return brokenRule({ index, rule, fix: PAIR_RULES[rule], ids, message: ids.join(', ') });
}

/** The error for a history that breaks a rule, with its place and what to do. */
export function brokenRule(violation: Violation & { readonly ids?: readonly string[] }): HoldfastError {
  const { index, rule, fix, message } = violation;
  return new HoldfastError(
    'INVALID_HISTORY',
    `message ${index} breaks the rule "${rule}"${message ? ` (${message})` : ''}: ${fix}`,
    { ...violation },
  );
}

/** Where turns start, for input that may be broken: what cannot be paired stands alone. Never throws. */
export function turnStarts<M>(dialect: Dialect<M>, messages: readonly M[]): boolean[] {
  let open = new Set<string>();
  let joined = false;
  return messages.map((message) => {
    if (!isRecord(message)) return true;
    const reading = dialect.read(message);
    const answers = reading.results.some(({ id }) => open.has(id));
    for (const { id } of reading.results) open.delete(id);
    if (reading.calls.length > 0) open = new Set(reading.calls.map(({ id }) => id));
    const starts = !answers && !joined;
    joined = reading.joined;
    return starts;
  });
}
