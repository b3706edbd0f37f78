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
 * Parts messages into turns: a message with calls and all its results, a joined message and the next, the messages of one
 * response, a system message that must follow the user and what it follows, else one message each. `first` is the history
 * index of the first message. Throws INVALID_HISTORY with index, rule and fix.
 */
export function readTurns<M>(dialect: Dialect<M>, messages: readonly M[], start: number, first: number): RawTurn<M>[] {
  const { splitResponses, resultsTogether, systemInside } = dialect;
  const starts: number[] = [];
  const readings: Reading[] = [];
  // The ids of the last calls; those that wait for a result; of these, how many at the front have got theirs.
  let called = NONE;
  let open = NONE;
  let answered = 0;
  let caller = first;
  let joined = false;
  let before: Reading['role'] | undefined;
  for (let i = start; i < messages.length; i++) {
    const message = messages[i] as M;
    const index = first + i - start;
    if (!isRecord(message)) throw brokenRule({ index, rule: 'bad-message', fix: 'Send an object with a role.' });
    const reading = readAt(dialect, message, index);
    const { role, calls, results } = reading;
    const isOpen = answered < open.length;
    const goesOn = splitResponses && role === 'assistant' && before === 'assistant';
    const belongs = joined || goesOn || (role === 'system' && systemInside === 'after-user');
    if (i === start || !(isOpen || belongs)) starts.push(i);
    if (results.length > 0) {
      for (const { id } of results) {
        // Results mostly come in the order of their calls.
        const place = open[answered] === id ? answered : open.indexOf(id, answered);
        if (place < 0) throw unpaired(index, called.includes(id) ? 'double-result' : 'orphan-result', [id]);
        if (place === answered) answered++;
        else open = open.toSpliced(place, 1);
      }
      if (resultsTogether && answered < open.length) throw unpaired(caller, 'unanswered-call', open.slice(answered));
    } else {
      // A tool message without results holds approvals: the results follow.
      if (isOpen && !splitResponses && role !== 'tool') {
        throw role === 'assistant'
          ? unpaired(caller, 'unanswered-call', open.slice(answered))
          : unpaired(index, 'interrupted-call', open.slice(answered));
      }
      if (!isOpen) caller = index;
      if (calls.length > 0 || !isOpen) {
        const ids = calls.length === 0 ? NONE : calls.map((call) => call.id);
        called = isOpen ? called.concat(ids) : ids;
        open = isOpen ? open.slice(answered).concat(ids) : ids;
        answered = 0;
        if (hasTwice(called)) throw unpaired(index, 'duplicate-call-id', called);
      }
    }
    readings.push(reading);
    if (role === 'assistant') joined = reading.joined;
    before = role;
  }
  if (answered < open.length) throw unpaired(caller, 'unanswered-call', open.slice(answered));
  return turnsAt(starts, messages, readings, start, first);
}

/** The turns that begin at these places. Lists of just the length: one that grows takes room for many more. */
function turnsAt<M>(
  starts: readonly number[],
  messages: readonly M[],
  readings: readonly Reading[],
  start: number,
  first: number,
): RawTurn<M>[] {
  return starts.map((at, n) => {
    const end = starts[n + 1] ?? messages.length;
    const from = first + at - start;
    if (end === at + 1) return { from, messages: [messages[at] as M], readings: [readings[at - start] as Reading] };
    return { from, messages: messages.slice(at, end), readings: readings.slice(at - start, end - start) };
  });
}

function hasTwice(ids: readonly string[]): boolean {
  if (ids.length < 3) return ids.length === 2 && ids[0] === ids[1];
  return new Set(ids).size < ids.length;
}

/** What the dialect reads of the message at this place. Throws INVALID_HISTORY. */
export function readAt<M>(dialect: Dialect<M>, message: M, index: number): Reading {
  return orRefuse(index, () => dialect.read(message));
}

/** What is read of the message at this place. Throws INVALID_HISTORY for what has no end or is no JSON. */
export function orRefuse<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    throw brokenRule({ index, rule: 'bad-message', fix: 'Send plain JSON.', message: error.message });
  }
}

/** The error for calls and results that do not pair. */
export function unpaired(index: number, rule: keyof typeof PAIR_RULES, ids: readonly string[]): HoldfastError {
  return brokenRule({ index, rule, fix: PAIR_RULES[rule], ids, message: ids.join(', ') });
}

/** Throws INVALID_HISTORY for what is no list. */
export function checkList(history: unknown): void {
  if (!Array.isArray(history)) throw brokenRule({ index: 0, rule: 'bad-history', fix: 'Pass a list of messages.' });
}

/** The error for a history that breaks a rule, with its place and what to do. */
export function brokenRule(violation: Violation & { readonly ids?: readonly string[] }): HoldfastError {
  const { index, rule, fix, message } = violation;
  return new HoldfastError(
    'INVALID_HISTORY',
    `message ${String(index)} breaks the rule "${rule}"${message ? ` (${message})` : ''}: ${fix}`,
    { ...violation },
  );
}

/** Where turns start, for input that may be broken: what cannot be paired stands alone. Throws only for what is no JSON. */
export function turnStarts<M>(dialect: Dialect<M>, messages: readonly M[]): boolean[] {
  const { splitResponses, systemInside } = dialect;
  const readings = messages.map((message, i) => (isRecord(message) ? readAt(dialect, message, i) : undefined));
  const ends = splitResponses ? lastResults(readings) : [];
  let open = new Set<string>();
  let until = -1;
  let joined = false;
  let before: Reading['role'] | undefined;
  return readings.map((reading, at) => {
    if (!reading) return true;
    const { role, calls, results, joined: joins } = reading;
    const answers = results.some(({ id }) => open.has(id)) || (role === 'tool' && !results.length && open.size > 0);
    const goesOn = splitResponses && role === 'assistant' && before === 'assistant';
    for (const { id } of results) open.delete(id);
    if (calls.length > 0) open = new Set([...(splitResponses ? open : []), ...calls.map(({ id }) => id)]);
    const follows = role === 'system' && systemInside === 'after-user' && before !== undefined;
    const starts = !answers && !joined && !goesOn && !follows && at > until;
    until = Math.max(until, ends[at] ?? -1);
    if (role === 'assistant') joined = joins;
    before = role;
    return starts;
  });
}

/** For each message the place of the last result for its calls: whatever stands before that may stand between. */
function lastResults(readings: readonly (Reading | undefined)[]): number[] {
  const next = new Map<string, number>();
  const ends = readings.toReversed().map((reading, back) => {
    for (const { id } of reading?.results ?? []) next.set(id, readings.length - 1 - back);
    return Math.max(-1, ...(reading?.calls ?? []).map(({ id }) => next.get(id) ?? -1));
  });
  return ends.reverse();
}
