/** Slices without splitting a surrogate pair. */
export function sliceText(text: string, from: number, to: number): string {
  const start = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  const end = to < text.length && isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
  return text.slice(start, Math.max(start, end));
}

/** A copy that does not keep the text alive that it was sliced from. */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Most characters of a word that is left out rather than cut. */
const LONGEST_WORD = 40;

/** The text in at most so many characters, cut where a word ends if one ends near there. Pure. */
export function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const part = sliceText(text, 0, chars - 1);
  const space = part.lastIndexOf(' ');
  const isInside = text[part.length] !== ' ' && part.length - space <= Math.min(LONGEST_WORD, chars / 3);
  return `${(isInside ? part.slice(0, space) : part).trimEnd()}…`;
}
