import { itemsOf, type ListSpan, type Span } from './list-span.ts';

/** The first items of a list, with their places in it. */
export interface KnownItems<M> {
  readonly spans: readonly Span[];
  readonly values: readonly M[];
}

/** A list in a body: what is known of it, and where to remember it. */
export interface Lookup<M> extends KnownItems<M> {
  readonly group: string;
  /** The list that it continues. */
  readonly before?: Recent<M>;
}

interface Recent<M> extends KnownItems<M> {
  readonly bytes: Buffer;
}

/**
 * Remembers the lists of recent bodies, so that a conversation that grew is read only where it is new. What came before in the
 * same bytes is the same object as then.
 */
export interface RecentLists<M> {
  /** Looks up the list that starts here: its first items, as many as came before. */
  find(body: Buffer, start: number): Lookup<M>;
  /** Remembers a list. It takes the place of the one that it continues. */
  keep(body: Buffer, span: ListSpan, values: readonly M[], lookup: Lookup<M>): void;
}

/** Lists that start alike are compared with this many others at most. */
const MOST_ALIKE = 32;
/** Bytes of either end of an item that tell it from others. */
const ENDS = 200;
/** The share of its memory that a list must fill to be kept where it is: a copy takes time. */
const LEAST_SHARE = 0.9;
/** Shorter lists are read again as fast. */
const LEAST_BYTES = 4_096;
/** A client may change its last messages, and still continues the same list. */
const LAST_ITEMS = 3;

/** No lists. `most`: bytes of all lists to remember; those used longest ago go first. */
export function createRecentLists<M>(most: number): RecentLists<M> {
  const groups = new Map<string, Set<Recent<M>>>();
  /** All of them, the latest last, with their groups. */
  const recent = new Map<Recent<M>, string>();
  let bytes = 0;

  const forget = (one: Recent<M>) => {
    const group = groups.get(recent.get(one) ?? '');
    group?.delete(one);
    if (group?.size === 0) groups.delete(recent.get(one) ?? '');
    if (recent.delete(one)) bytes -= one.bytes.length;
  };

  return {
    find(body, start) {
      const group = groupOf(body, start);
      const list = body.subarray(start);
      let before: Recent<M> | undefined;
      let common = 0;
      for (const one of [...(groups.get(group) ?? [])].slice(-MOST_ALIKE)) {
        const more = commonBytes(one.bytes, list, common);
        if (more > common) [before, common] = [one, more];
      }
      if (!before) return { group, spans: [], values: [] };
      const count = countUpTo(before.spans, common);
      return { group, before, spans: before.spans.slice(0, count), values: before.values.slice(0, count) };
    },
    keep(body, { start, end, items: spans }, values, { group, before, spans: known }) {
      const list = body.subarray(start, end);
      if (list.length < LEAST_BYTES || list.length > most) return;
      if (before && known.length >= before.spans.length - LAST_ITEMS) forget(before);
      const one = { bytes: withoutRest(list), spans, values };
      groups.set(group, (groups.get(group) ?? new Set()).add(one));
      recent.set(one, group);
      bytes += list.length;
      for (const old of recent.keys()) {
        if (bytes <= most) return;
        forget(old);
      }
    },
  };
}

/** Lists whose first items look alike are in one group; three, because clients with the same prompt get different answers. */
function groupOf(body: Buffer, start: number): string {
  const { items } = itemsOf(body, start, [], 3);
  return items
    .map((item) => `${item.end - item.start} ${endsOf(body.subarray(start + item.start, start + item.end))}`)
    .join(' ');
}

function endsOf(bytes: Buffer): string {
  return bytes.toString('latin1', 0, ENDS) + bytes.toString('latin1', Math.max(0, bytes.length - ENDS));
}

/** The bytes without the rest of a large body, which would stay in memory with them. */
function withoutRest(list: Buffer): Buffer {
  return list.length >= LEAST_SHARE * list.buffer.byteLength ? list : Buffer.from(list);
}

/** How many of the spans end by this position. */
function countUpTo(spans: readonly Span[], position: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many first bytes are equal; 0 if not more than `least`. Halves what is left to compare until it is found. */
function commonBytes(one: Buffer, other: Buffer, least: number): number {
  const same = (from: number, to: number) => one.compare(other, from, to, from, to) === 0;
  let [low, high] = [0, Math.min(one.length, other.length)];
  if (least >= high || !same(0, least + 1)) return 0;
  low = least + 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (same(low, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
