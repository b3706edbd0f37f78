import { plainLine } from '../text/quote.ts';

/** Characters before and after a value in which the words stand that say what it is. */
const BEFORE = 48;
const AFTER = 40;
/** Characters in which at least one word has to be. */
const NEAR = 24;

/** Braces, brackets and quotation marks of JSON. */
const MARKS = /[{}[\]"'`\\<>]+/g;
/** What follows a number that only counts lines of code, rows of a table or elements of a page. */
const LINE_NUMBER = /^\s*[→\t|:\])]/;
const WORD = /\p{L}{3,}/u;

/** True if there is a word next to the value at this place of a text, in the same line. Pure and cheap. */
export function hasMeaning(text: string, at: number, length: number): boolean {
  const from = Math.max(0, at - NEAR);
  return (
    WORD.test(text.slice(Math.max(from, text.lastIndexOf('\n', at) + 1), at)) ||
    WORD.test(afterIn(text, at + length, NEAR))
  );
}

/** The value with the few words around it that say what it is: `order 7731: gift card`. Undefined if there are none. Pure. */
export function meaningOf(text: string, at: number, value: string): string | undefined {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  const before = lastClause(text.slice(Math.max(lineStart, at - BEFORE), at), at - BEFORE > lineStart);
  const after = firstClause(afterIn(text, at + value.length, AFTER));
  if (/^[\s[(]*$/.test(before) && LINE_NUMBER.test(after)) return undefined;
  const words = plainLine(`${before}${value}${after}`.replace(MARKS, ' ').replace(/ ([,.:;)])/g, '$1')).trim();
  return WORD.test(words.replace(value, '')) ? words.replace(/^[\s,.:;=)-]+|[\s,.:;=(-]+$/g, '') : undefined;
}

/** Up to so many characters of the same line. */
function afterIn(text: string, from: number, chars: number): string {
  const [line = ''] = text.slice(from, from + chars).split('\n', 1);
  return line;
}

/** What follows the last end of a sentence, and the first space if the text begins inside a word. */
function lastClause(text: string, isCut: boolean): string {
  const from = Math.max(text.lastIndexOf('. '), text.lastIndexOf('; ')) + 1;
  const rest = text.slice(from);
  return isCut && from === 0 ? rest.slice(rest.indexOf(' ') + 1) : rest;
}

/** What precedes the first end of a sentence, without a last word that may be cut. */
function firstClause(text: string): string {
  const ends = [text.indexOf('. '), text.indexOf('; ')].filter((end) => end >= 0);
  if (ends.length > 0) return text.slice(0, Math.min(...ends));
  return text.length < AFTER ? text : text.slice(0, Math.max(0, text.lastIndexOf(' ')));
}
