import { checkDepth, isRecord } from '../content.ts';
import type { Dialect, Reading, Role } from '../dialect.ts';
import { brokenRule, type HoldfastError, refusal } from '../errors.ts';
import { OpenCalls } from './open-calls.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/** A run of messages that must stay together, as it arrived. */
export interface RawTurn<M> {
  /** Place in the history of its first message. */
  readonly from: number;
  readonly messages: readonly M[];
  readonly readings: readonly Reading[];
}

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
 * response, a system message that must follow the user and what it follows, an answer of nothing but thinking behind that,
 * else one message each. `first` is the history index of the first message, `snapshots` a list that
 * gets one of each. Throws INVALID_HISTORY with index, rule and fix.
 */
export function readTurns<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  start: number,
  first: number,
  snapshots?: Snapshot<M>[],
): RawTurn<M>[] {
  const { splitResponses, resultsTogether, systemInside } = dialect;
  const starts: number[] = [];
  const readings: Reading[] = [];
  const open = new OpenCalls();
  let caller = first;
  let joined = false;
  let before: Reading['role'] | undefined;
  for (let i = start; i < messages.length; i++) {
    const message = messages[i] as M;
    const index = first + i - start;
    if (!isRecord(message)) throw brokenRule({ index, rule: 'bad-message', fix: 'Send an object with a role.' });
    const reading = readAt(dialect, message, index, snapshots);
    const { role, calls, results } = reading;
    const isOpen = open.waits;
    const goesOn = splitResponses && role === 'assistant' && before === 'assistant';
    const belongs =
      joined ||
      goesOn ||
      (systemInside === 'after-user' && (role === 'system' || fillsPlace(dialect, before, message, reading)));
    if (i === start || !(isOpen || belongs)) starts.push(i);
    if (results.length > 0) {
      for (const { id } of results)
        if (!open.answer(id)) throw unpaired(index, open.called.includes(id) ? 'double-result' : 'orphan-result', [id]);
      if (resultsTogether && open.waits) throw unpaired(caller, 'unanswered-call', open.open);
    } else {
      // A tool message without results holds approvals: the results follow.
      if (isOpen && !splitResponses && role !== 'tool') {
        throw role === 'assistant'
          ? unpaired(caller, 'unanswered-call', open.open)
          : unpaired(index, 'interrupted-call', open.open);
      }
      if (!isOpen) caller = index;
      if (!open.add(calls)) throw unpaired(index, 'duplicate-call-id', open.called);
    }
    readings.push(reading);
    if (role === 'assistant') joined = reading.joined;
    before = role;
  }
  if (open.waits) throw unpaired(caller, 'unanswered-call', open.open);
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

/**
 * True for an answer of which nothing is left without its thinking, right behind a system message: there an assistant has to
 * speak, so that its place stays taken. Pure.
 */
export function fillsPlace<M>(dialect: Dialect<M>, before: Role | undefined, message: M, reading: Reading): boolean {
  const { role, thinking } = reading;
  return before === 'system' && role === 'assistant' && thinking && dialect.withoutThinking(message) === undefined;
}

/** What takes that place once the thinking is gone. Pure. */
export function placeholder<M>(dialect: Dialect<M>): M {
  return dialect.note('assistant', '(thinking)');
}

/** What the dialect reads of the message at this place, with a snapshot of it for `snapshots`. Throws INVALID_HISTORY. */
export function readAt<M>(dialect: Dialect<M>, message: M, index: number, snapshots?: Snapshot<M>[]): Reading {
  try {
    // What costs nothing is copied and compared all the same.
    if (snapshots) snapshots.push(snapshotOf(message));
    else checkDepth(message as object);
    return dialect.read(message);
  } catch (error) {
    throw refusal(error, index);
  }
}

/** The error for calls and results that do not pair. */
export function unpaired(index: number, rule: keyof typeof PAIR_RULES, ids: readonly string[]): HoldfastError {
  return brokenRule({ index, rule, fix: PAIR_RULES[rule], ids, message: ids.join(', ') });
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
    if (calls.length > 0 && !splitResponses) open = new Set();
    for (const { id } of calls) open.add(id);
    const fills = role === 'system' || fillsPlace(dialect, before, messages[at] as M, reading);
    const follows = systemInside === 'after-user' && before !== undefined && fills;
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
    let last = -1;
    for (const { id } of reading?.calls ?? []) last = Math.max(last, next.get(id) ?? -1);
    return last;
  });
  return ends.reverse();
}
