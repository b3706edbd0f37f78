/** The parts of a message, those of one kind mapped by their place among these. Pure. */
export function mapKind<P>(
  parts: readonly P[],
  is: (part: P) => boolean,
  map: (part: P, at: number) => P | readonly P[],
): P[] {
  let at = 0;
  return parts.flatMap((part) => (is(part) ? map(part, at++) : part));
}

/** The parts of a message, those of one kind changed for which there is a value, by their place among these. Pure. */
export function changeKind<P, V>(
  parts: readonly P[],
  is: (part: P) => boolean,
  values: ReadonlyMap<number, V>,
  change: (part: P, value: V) => P,
): P[] {
  return mapKind(parts, is, (part, at) => {
    const value = values.get(at);
    return value === undefined ? part : change(part, value);
  });
}

/** The parts of a message with one part in place of its words. Pure. */
export function withWords<P>(parts: readonly P[], isWords: (part: P) => boolean, words: P): P[] {
  return mapKind(parts, isWords, (_, at) => (at === 0 ? words : []));
}

/** Placeholders for what a repaired history lacks, and what a repair says that it did. */
export const UNRECORDED = '[The beginning of this conversation was not recorded]';
export const EMPTY_MESSAGE = '[Empty message]';
export const REPLACED = 'Replaced the content with a placeholder.';
