import { HoldfastError } from '../errors.ts';

/**
 * From each index on, how often the history was rewritten. A rewritten part gets new handles, so that the archive never has
 * two messages under one handle.
 */
export type Revisions = readonly (readonly [from: number, revision: number])[];

/** The handle of the message at this index: `m41`, or `m41~1` after one rewrite before it. */
export function handleOf(index: number, revisions: Revisions): string {
  let low = 0;
  let high = revisions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((revisions[middle]?.[0] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  const revision = revisions[low - 1]?.[1] ?? 0;
  return messageHandle(index, revision);
}

/** The handle of the message at this index in this revision. Pure. */
export function messageHandle(index: number, revision = 0): string {
  return revision === 0 ? `m${index}` : `m${index}~${revision}`;
}

/** What a handle names: a message, one result of it (`part`), or a run of messages up to `to`. */
export interface HandleTarget {
  readonly index: number;
  readonly revision: number;
  readonly part?: number;
  readonly to?: { readonly index: number; readonly revision: number };
}

/** What a handle names: `m41` a message, `m41.2` one of its results, `m12-m40` a run. Undefined if it is not a handle. Pure. */
export function handleTarget(handle: string): HandleTarget | undefined {
  const match = /^m(\d{1,9})(?:~(\d{1,9}))?(?:\.(\d{1,9})|-m(\d{1,9})(?:~(\d{1,9}))?)?$/.exec(handle.trim());
  if (!match) return undefined;
  const [, index, revision = 0, part, to, lastRevision = 0] = match;
  return {
    index: Number(index),
    revision: Number(revision),
    ...(part === undefined ? {} : { part: Number(part) }),
    ...(to === undefined ? {} : { to: { index: Number(to), revision: Number(lastRevision) } }),
  };
}

/** The handles of this run of messages, one per revision, so that each is complete by itself. */
export function runHandles(from: number, to: number, revisions: Revisions): string[] {
  const starts = revisions.flatMap(([start]) => (start > from && start <= to ? start : []));
  return [from, ...starts].map((first, i) => {
    const last = (starts[i] ?? to + 1) - 1;
    return first === last ? handleOf(first, revisions) : `${handleOf(first, revisions)}-${handleOf(last, revisions)}`;
  });
}

/** The revisions after everything from this index on was rewritten. */
export function newRevision(revisions: Revisions, from: number): Revisions {
  return [...revisions.filter(([start]) => start < from), [from, newestRevision(revisions) + 1]];
}

export function newestRevision(revisions: Revisions): number {
  return revisions.at(-1)?.[1] ?? 0;
}

/** A run of messages, or one result of a message, with the revisions that its handle states. */
export interface Named {
  readonly from: number;
  readonly to: number;
  readonly revisions: Revisions;
  readonly part?: number;
}

/** Parses a handle, as `handleTarget`. Throws UNKNOWN_HANDLE. */
export function parseHandle(handle: string): Named {
  const target = handleTarget(handle);
  if (!target) {
    const text = `"${handle}" is not a handle: expected one such as m41, m41.2 or m12-m40`;
    throw new HoldfastError('UNKNOWN_HANDLE', text, { handle });
  }
  const { index: from, revision, part, to = { index: from, revision } } = target;
  if (to.index < from) throw new HoldfastError('UNKNOWN_HANDLE', `"${handle}" runs backwards`, { handle });
  return {
    from,
    to: to.index,
    revisions:
      to.revision === revision
        ? [[0, revision]]
        : [
            [0, revision],
            [to.index, to.revision],
          ],
    ...(part === undefined ? {} : { part }),
  };
}
