import { HoldfastError } from '../errors.ts';

/**
 * From each index on, how often the history was rewritten. A rewritten part gets new handles, so that the archive never has
 * two messages under one handle. A scope says which conversation the handles belong to.
 */
export type Revisions = readonly (readonly [from: number, revision: number, scope?: string])[];

const SCOPE = '[A-Za-z0-9_-]{1,40}';
const NAME = `m(\\d{1,9})(?:~(\\d{1,9}))?(?:\\.(\\d{1,9})|-m(\\d{1,9})(?:~(\\d{1,9}))?)?(?:@(${SCOPE}))?`;
const HANDLE = new RegExp(`^${NAME}$`);
const HANDLES = new RegExp(`(?<![\\w~])${NAME}(?![\\w~])`, 'g');

/** True for a text that can be a scope: 1 to 40 letters, digits, `_` or `-`. Pure. */
export function isScope(scope: unknown): scope is string {
  return typeof scope === 'string' && new RegExp(`^${SCOPE}$`).test(scope);
}

/**
 * The handle of the message at this index, or of one of its results: `m41`, `m41.2`, `m41~1` after one rewrite before it,
 * `m41@ID` with a scope.
 */
export function handleOf(index: number, revisions: Revisions, part?: number): string {
  const [, revision, scope] = revisionAt(index, revisions);
  const name = messageHandle(index, revision);
  return inScope(part === undefined ? name : `${name}.${part}`, scope);
}

/** The entry that applies to the message at this index. */
export function revisionAt(index: number, revisions: Revisions): Revisions[number] {
  let low = 0;
  let high = revisions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((revisions[middle]?.[0] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return revisions[low - 1] ?? UNREVISED;
}

const UNREVISED: Revisions[number] = [0, 0];

/** An entry of the revisions. */
export function revisionOf(from: number, revision: number, scope: string | undefined): Revisions[number] {
  return scope === undefined ? [from, revision] : [from, revision, scope];
}

/** The handles in a text, in order, each with its place. Pure. */
export function handlesIn(text: string): { readonly handle: string; readonly at: number }[] {
  return [...text.matchAll(HANDLES)].map(({ 0: handle, index: at }) => ({ handle, at }));
}

function inScope(handle: string, scope: string | undefined): string {
  return scope === undefined ? handle : `${handle}@${scope}`;
}

/** The handle of the message at this index in this revision. Pure. */
export function messageHandle(index: number, revision = 0): string {
  return revision === 0 ? `m${index}` : `m${index}~${revision}`;
}

/** What a handle names: a message, one result of it (`part`), or a run of messages up to `to`; `scope`: in which conversation. */
export interface HandleTarget {
  readonly index: number;
  readonly revision: number;
  readonly part?: number;
  readonly to?: { readonly index: number; readonly revision: number };
  readonly scope?: string;
}

/**
 * What a handle names: `m41` a message, `m41.2` one of its results, `m12-m40` a run, each perhaps with a scope, such as
 * `m41@ID`. Undefined if it is not a handle. Pure.
 */
export function handleTarget(handle: string): HandleTarget | undefined {
  const match = HANDLE.exec(handle.trim());
  if (!match) return undefined;
  const [, index, revision = 0, part, to, lastRevision = 0, scope] = match;
  return {
    index: Number(index),
    revision: Number(revision),
    ...(part === undefined ? {} : { part: Number(part) }),
    ...(to === undefined ? {} : { to: { index: Number(to), revision: Number(lastRevision) } }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** The handles of this run of messages, one per revision, so that each is complete by itself. */
export function runHandles(from: number, to: number, revisions: Revisions): string[] {
  const starts = revisions.flatMap(([start]) => (start > from && start <= to ? start : []));
  return [from, ...starts].map((first, i) => {
    const last = (starts[i] ?? to + 1) - 1;
    if (first === last) return handleOf(first, revisions);
    const [, revision, scope] = revisionAt(first, revisions);
    return inScope(`${messageHandle(first, revision)}-${messageHandle(last, revision)}`, scope);
  });
}

/** The revisions after everything from this index on was rewritten; the newest scope stays. */
export function newRevision(revisions: Revisions, from: number): Revisions {
  const next = revisionOf(from, newestRevision(revisions) + 1, revisions.at(-1)?.[2]);
  return [...revisions.filter(([start]) => start < from), next];
}

/** The revisions with this scope for messages from this index on. */
export function withScope(revisions: Revisions, from: number, scope: string | undefined): Revisions {
  if (scope === undefined || revisions.at(-1)?.[2] === scope) return revisions;
  return [...revisions.filter(([start]) => start < from), [from, newestRevision(revisions), scope]];
}

export function newestRevision(revisions: Revisions): number {
  return revisions.at(-1)?.[1] ?? 0;
}

/** A run of messages, or one result of a message, with the revisions and the scope that its handle states. */
export interface Named {
  readonly from: number;
  readonly to: number;
  readonly revisions: Revisions;
  readonly part?: number;
  readonly scope?: string;
}

/** Parses a handle, as `handleTarget`. Throws UNKNOWN_HANDLE. */
export function parseHandle(handle: string): Named {
  const target = handleTarget(handle);
  if (!target) {
    const text = `"${handle}" is not a handle: expected one such as m41, m41.2 or m12-m40`;
    throw new HoldfastError('UNKNOWN_HANDLE', text, { handle });
  }
  const { index: from, revision, part, to = { index: from, revision }, scope } = target;
  if (to.index < from) throw new HoldfastError('UNKNOWN_HANDLE', `"${handle}" runs backwards`, { handle });
  const first = revisionOf(0, revision, scope);
  return {
    from,
    to: to.index,
    revisions: to.revision === revision ? [first] : [first, revisionOf(to.index, to.revision, scope)],
    ...(part === undefined ? {} : { part }),
    ...(scope === undefined ? {} : { scope }),
  };
}
