import type { Dialect, Reading, Role } from '../dialect.ts';
import { brokenRule, type HoldfastError, refusal } from '../errors.ts';
import { checkDepth } from '../json/depth.ts';
import { isRecord } from '../json/record.ts';
import { OpenCalls } from './open-calls.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';

/** Messages that must stay together, as they arrived. */
export interface RawTurn<M> {
  /** Index in the history of its first message. */
  readonly from: number;
  readonly messages: readonly M[];
  readonly readings: readonly Reading[];
}

/** The rules of pairing, with how to fix a violation. */
export const PAIR_RULES = {
  'unanswered-call': 'Answer each call right after its message, or drop it.',
  'orphan-result': 'Drop the result, or keep its call before it.',
  'double-result': 'Keep one result for each call.',
  'interrupted-call': 'Put the results of the calls before it first.',
  'duplicate-call-id': 'Give each call its own id.',
} as const satisfies Readonly<Record<string, string>>;

/** What was read of the messages from `start` on, and where in the list their turns start. */
export interface ReadMessages<M> {
  readonly messages: readonly M[];
  readonly start: number;
  /** Index in the history of the message at `start`. */
  readonly first: number;
  readonly readings: readonly Reading[];
  readonly starts: readonly number[];
}

/**
 * Reads messages and splits them into turns. A turn is a message with calls and all their results, a joined message and the
 * next one, the messages of one response, a system message with the user message that it must follow and an answer of nothing
 * but thinking after it, or a single message. `first` is the index of the first message in the history; `snapshots` receives
 * a snapshot of each message. Throws INVALID_HISTORY with index, rule and fix.
 */
export function readMessages<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  start: number,
  first: number,
  snapshots?: Snapshot<M>[],
): ReadMessages<M> {
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
    const isSameResponse = splitResponses && role === 'assistant' && before === 'assistant';
    const belongs =
      joined ||
      isSameResponse ||
      (systemInside === 'after-user' && (role === 'system' || fillsPlace(dialect, before, message, reading)));
    if (i === start || !(isOpen || belongs)) starts.push(i);
    if (results.length > 0) {
      for (const { id } of results)
        if (!open.answer(id)) throw unpaired(index, open.called.includes(id) ? 'double-result' : 'orphan-result', [id]);
      if (resultsTogether && open.waits) throw unpaired(caller, 'unanswered-call', open.open);
    } else {
      // A tool message without results has approvals: the results follow.
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
  return { messages, start, first, readings, starts };
}

/** The turn at this place among those that were read. Pure. */
export function turnAt<M>({ messages, start, first, readings, starts }: ReadMessages<M>, place: number): RawTurn<M> {
  const at = starts[place] ?? messages.length;
  const end = starts[place + 1] ?? messages.length;
  const from = first + at - start;
  // A list that grows reserves memory for many more.
  if (end === at + 1) return { from, messages: [messages[at] as M], readings: [readings[at - start] as Reading] };
  return { from, messages: messages.slice(at, end), readings: readings.slice(at - start, end - start) };
}

/** The turns of these messages. Throws INVALID_HISTORY. */
export function readTurns<M>(dialect: Dialect<M>, messages: readonly M[]): RawTurn<M>[] {
  const read = readMessages(dialect, messages, 0, 0);
  return read.starts.map((_, place) => turnAt(read, place));
}

/**
 * True for an answer of nothing but thinking right after a system message: an assistant message must be there, so a
 * placeholder replaces it when the thinking is removed. Pure.
 */
export function fillsPlace<M>(dialect: Dialect<M>, before: Role | undefined, message: M, reading: Reading): boolean {
  const { role, thinking } = reading;
  return before === 'system' && role === 'assistant' && thinking && dialect.withoutThinking(message) === undefined;
}

/** The message in place of such an answer. Pure. */
export function placeholder<M>(dialect: Dialect<M>): M {
  return dialect.note('assistant', '(thinking)');
}

/** Reads the message at this index, and adds a snapshot of it to `snapshots`. Throws INVALID_HISTORY. */
export function readAt<M>(dialect: Dialect<M>, message: M, index: number, snapshots?: Snapshot<M>[]): Reading {
  try {
    // Fields that cost no tokens are copied and compared, too.
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

/**
 * True for each message that starts a turn. Accepts broken input: what cannot be paired is a turn of its own. Throws if it is
 * not JSON.
 */
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
    const isSameResponse = splitResponses && role === 'assistant' && before === 'assistant';
    for (const { id } of results) open.delete(id);
    if (calls.length > 0 && !splitResponses) open = new Set();
    for (const { id } of calls) open.add(id);
    const fills = role === 'system' || fillsPlace(dialect, before, messages[at] as M, reading);
    const follows = systemInside === 'after-user' && before !== undefined && fills;
    const starts = !answers && !joined && !isSameResponse && !follows && at > until;
    until = Math.max(until, ends[at] ?? -1);
    if (role === 'assistant') joined = joins;
    before = role;
    return starts;
  });
}

/** For each message the index of the last result for its calls: everything up to there belongs to its turn. */
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

/** Throws INVALID_HISTORY for the first rule of pairing or of the wire format that these messages break. */
export function checkMessages<M>(dialect: Dialect<M>, messages: readonly M[], rest?: boolean): void {
  readMessages(dialect, messages, 0, 0);
  checkRules(dialect, messages, rest);
}

/**
 * Throws INVALID_HISTORY for the first rule of the wire format that these messages break. With `rest` nothing is about to be
 * sent, so the rule about how a request may end does not apply. `first`: they are the end of a longer request, from this index
 * on.
 */
export function checkRules<M>(dialect: Dialect<M>, messages: readonly M[], rest = false, first?: number): void {
  const violations = dialect.validate(messages, { part: first !== undefined });
  const violation = violations.find(({ rule }) => !rest || rule !== 'trailing-whitespace');
  if (violation) throw brokenRule({ ...violation, index: (first ?? 0) + Math.max(0, violation.index) });
}
