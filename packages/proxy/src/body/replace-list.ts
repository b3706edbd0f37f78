import type { RequestStretch } from '@holdfast/sessions';
import type { ListSpan } from './list-span.ts';

const COMMA = Buffer.from(',');

/** The place of a list in a body, and its items as parsed from there. */
export interface FoundList<M> {
  readonly span: ListSpan;
  readonly items: readonly M[];
}

/**
 * The body with other items in its list, in stretches. Items that are the very objects of the list keep their bytes, and so does
 * everything outside the list: numbers that JavaScript cannot represent, spaces, the order of keys. With the same items, it is
 * the same body. Pure.
 */
export function replaceList<M>(
  body: Uint8Array,
  { span, items }: FoundList<M>,
  sent: readonly M[],
): readonly RequestStretch[] {
  const places = placesOf(items, sent);
  const startOf = (place: number) => span.start + (span.items[place]?.start ?? 0);
  const endOf = (place: number) => span.start + (span.items[place]?.end ?? 0);
  const [inside, outside] = [span.start + 1, span.end - 1];
  const stretches: RequestStretch[] = [];
  let before: number | undefined;
  for (const [at, item] of sent.entries()) {
    const of = typeof item === 'object' && item !== null ? item : undefined;
    const place = of && places.get(of);
    // Neighbours keep what is between them, and the first and the last item the spaces at either end of the list.
    if (at === 0) stretches.push({ bytes: body.subarray(0, place === 0 ? startOf(0) : inside) });
    else if (place === undefined || before !== place - 1) stretches.push({ bytes: COMMA });
    else stretches.push({ bytes: body.subarray(endOf(before), startOf(place)) });
    const bytes = place === undefined ? Buffer.from(JSON.stringify(item)) : body.subarray(startOf(place), endOf(place));
    stretches.push(of ? { bytes, of } : { bytes });
    before = place;
  }
  if (before === items.length - 1) stretches.push({ bytes: body.subarray(endOf(before)) });
  else if (sent.length > 0) stretches.push({ bytes: body.subarray(outside) });
  else
    stretches.push(
      { bytes: body.subarray(0, inside) },
      { bytes: body.subarray(items.length === 0 ? inside : outside) },
    );
  return stretches;
}

/** Where those items are that are sent: most of a long list is not. */
function placesOf<M>(items: readonly M[], sent: readonly M[]): ReadonlyMap<unknown, number> {
  const wanted = new Set<unknown>(sent);
  const places = new Map<unknown, number>();
  for (const [at, item] of items.entries()) if (wanted.has(item)) places.set(item, at);
  return places;
}
