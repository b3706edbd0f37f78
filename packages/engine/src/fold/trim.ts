import { isRecord } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { turnStarts } from '../turns/read-turns.ts';

export interface Trimmed<M> {
  readonly trimmed: M[];
  readonly evicted: M[];
}

/**
 * Head, newest of the middle, tail. Leading system messages belong to the head, on top of `first`. Never
 * parts a turn: the tail grows to whole turns, the head shrinks to them (never below the first message), the middle gives
 * way. Pure; throws only for what is no JSON.
 */
export function trimMessages<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  max: number,
  first: number,
  last: number,
): Trimmed<M> {
  if (messages.length <= max) return { trimmed: [...messages], evicted: [] };
  const starts = turnStarts(dialect, messages);
  const system = leadingSystem(dialect, messages);
  const head = headEnd(starts, Math.min(system + first, messages.length), system);
  const tail = Math.max(head, startAtOrBefore(starts, messages.length - Math.min(last, messages.length)));
  const spare = first + last >= max ? 0 : Math.max(0, max - head - (messages.length - tail));
  const middle = Math.min(tail, startAtOrAfter(starts, Math.max(head, tail - spare)));
  return {
    trimmed: [...messages.slice(0, head), ...messages.slice(middle)],
    evicted: messages.slice(head, middle),
  };
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
