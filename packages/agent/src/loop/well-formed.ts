/** The text with a replacement for each half of a surrogate pair: APIs refuse those, and a cut may leave one. Pure. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{fffd}');
}
