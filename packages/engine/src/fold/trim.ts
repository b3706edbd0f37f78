import type { Dialect, Role } from '../dialect.ts';
import { isRecord } from '../json/record.ts';
import { placeholder, turnStarts } from '../turns/read-turns.ts';
import { mayFollow } from './neighbors.ts';

/** What stays of a list of messages, and what does not. */
export interface TrimmedParts<M> {
  trimmed: M[];
  evicted: M[];
}

/**
 * Keeps the head, the newest of the middle, and the tail. Leading system messages belong to the head, on top of `first`.
 * Never splits a turn: the tail grows to whole turns, the head shrinks to them (never below the first message), the middle
 * gives way. If what then stays may not be neighbors, the middle gives way further, or else the head; if a request may not start
 * like that, the first message stays even if `first` is 0. Pure; throws only for input that is not JSON.
 */
export function trimMessages<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  max: number,
  first: number,
  last: number,
): TrimmedParts<M> {
  if (messages.length <= max) return { trimmed: [...messages], evicted: [] };
  const starts = turnStarts(dialect, messages);
  const system = leadingSystem(dialect, messages);
  const head = headEnd(starts, Math.min(system + first, messages.length), system);
  const least = startAtOrAfter(starts, Math.min(system + 1, messages.length));
  const tail = Math.max(head, startAtOrBefore(starts, messages.length - Math.min(last, messages.length)));
  const spare = (end: number) => (first + last >= max ? 0 : Math.max(0, max - end - (messages.length - tail)));
  const follows = (end: number, at: number) =>
    starts[at] === true ? mayFollow(dialect, messages[end - 1], messages[at] as M) : at === messages.length && at > end;
  let end = head;
  let from = Math.min(tail, startAtOrAfter(starts, Math.max(end, tail - spare(end))));
  while (!follows(end, from)) {
    if (from < tail) from = startAtOrAfter(starts, from + 1);
    else if (end !== least) {
      end = end > least ? startAtOrBefore(starts, end - 1) : least;
      from = startAtOrAfter(starts, Math.max(end, tail - spare(end)));
    } else break;
  }
  // With nothing else to give way, the tail begins earlier.
  while (from > end && !follows(end, from)) from = startAtOrBefore(starts, from - 1);
  return { trimmed: [...messages.slice(0, end), ...messages.slice(from)], evicted: messages.slice(end, from) };
}

function leadingSystem<M>(dialect: Dialect<M>, messages: readonly M[]): number {
  const count = messages.findIndex((message) => !isRecord(message) || dialect.read(message).role !== 'system');
  return count < 0 ? messages.length : count;
}

function headEnd(starts: readonly boolean[], first: number, system: number): number {
  const end = startAtOrBefore(starts, first);
  return end <= system && first > system ? startAtOrAfter(starts, system + 1) : Math.max(end, system);
}

function startAtOrBefore(starts: readonly boolean[], index: number): number {
  let i = index;
  while (i > 0 && i < starts.length && !starts[i]) i--;
  return i;
}

function startAtOrAfter(starts: readonly boolean[], index: number): number {
  let i = index;
  while (i < starts.length && !starts[i]) i++;
  return i;
}

/**
 * Keeps the newest whole turns of at most `limit` messages; more only if what must stay is longer: leading system messages,
 * the newest turn, and the newest user message before it if the user does not speak first. Removes thinking that is bound to
 * dropped messages. Pure; throws only for input that is not JSON.
 */
export function pruneMessages<M>(dialect: Dialect<M>, messages: readonly M[], limit: number): TrimmedParts<M> {
  if (messages.length <= limit) return { trimmed: [...messages], evicted: [] };
  const starts = turnStarts(dialect, messages);
  const roles = messages.map((message) => (isRecord(message) ? dialect.read(message).role : undefined));
  const { system, from, end, start } = cutOf(starts, roles, limit);
  const stays = (i: number) => i < system || i >= start || (i >= from && i < end);
  if (messages.every((_, i) => stays(i))) return { trimmed: [...messages], evicted: [] };
  const trimmed: M[] = [];
  const evicted: M[] = [];
  for (const [i, message] of messages.entries()) {
    const now = stays(i) ? withoutBound(dialect, message, starts[i]) : undefined;
    if (now === undefined) evicted.push(message);
    else trimmed.push(now);
  }
  return { trimmed, evicted };
}

/** What stays: all before `system`, a user's turn from `from` to `end` (the same if none has to), all from `start` on. */
function cutOf(starts: readonly boolean[], roles: readonly (Role | undefined)[], limit: number) {
  const { length } = roles;
  const first = roles.findIndex((role) => role !== 'system');
  const system = first < 0 ? length : first;
  const asks: number[] = []; // the places of the user's turns
  for (let i = system; i < length; i++) if (starts[i] && roles[i] === 'user') asks.push(i);
  let cut = { system, from: length, end: length, start: length };
  for (let start = length - 1; start >= system; start--) {
    if (!starts[start]) continue;
    while ((asks.at(-1) ?? -1) >= start) asks.pop();
    const from = roles[start] === 'user' ? length : (asks.at(-1) ?? length);
    let end = from;
    while (end < start && (end === from || !starts[end])) end++;
    if (cut.start < length && system + end - from + length - start > limit) break;
    cut = { system, from, end, start };
  }
  return cut;
}

/** The message without thinking that is bound to what changed before it; undefined if nothing is left. */
export function withoutBound<M>(dialect: Dialect<M>, message: M, starts = true): M | undefined {
  const isBound = dialect.thinking === 'bound' && isRecord(message) && dialect.read(message).thinking;
  return isBound ? (dialect.withoutThinking(message) ?? (starts ? undefined : placeholder(dialect))) : message;
}
