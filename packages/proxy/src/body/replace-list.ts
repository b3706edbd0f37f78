import type { ListSpan } from './list-span.ts';

const COMMA = Buffer.from(',');

/** The place of a list in a body, and its items as parsed from there. */
export interface FoundList<M> {
  readonly span: ListSpan;
  readonly items: readonly M[];
}

/**
 * The body with other items in its list. Items that are the very objects of the list keep their bytes, and so does everything
 * outside the list: numbers that JavaScript cannot represent, spaces, the order of keys. With the same items, it is the same
 * body. Pure.
 */
export function replaceList<M>(body: Uint8Array, { span, items }: FoundList<M>, sent: readonly M[]): Buffer {
  const places = placesOf(items, sent);
  const placeOf = (at: number) => (typeof sent[at] === 'object' ? places.get(sent[at]) : undefined);
  const [inside, outside] = [span.start + 1, span.end - 1];
  const pieces: Uint8Array[] = [];
  for (let i = 0; i < sent.length; ) {
    const first = placeOf(i);
    if (first === undefined) {
      pieces.push(Buffer.from(JSON.stringify(sent[i++])));
      continue;
    }
    // A run of neighbours keeps what is between them, and the spaces at either end of the list.
    const start = i === 0 && first === 0 ? inside : span.start + (span.items[first]?.start ?? 0);
    let last = first;
    while (++i < sent.length && placeOf(i) === last + 1) last++;
    const end = i === sent.length && last === items.length - 1 ? outside : span.start + (span.items[last]?.end ?? 0);
    pieces.push(body.subarray(start, end));
  }
  if (items.length === 0 && sent.length === 0) pieces.push(body.subarray(inside, outside));
  const parts = pieces.flatMap((piece, i) => (i === 0 ? [piece] : [COMMA, piece]));
  return Buffer.concat([body.subarray(0, inside), ...parts, body.subarray(outside)]);
}

/** Where those items are that are sent: most of a long list is not. */
function placesOf<M>(items: readonly M[], sent: readonly M[]): ReadonlyMap<unknown, number> {
  const wanted = new Set<unknown>(sent);
  const places = new Map<unknown, number>();
  for (const [at, item] of items.entries()) if (wanted.has(item)) places.set(item, at);
  return places;
}
