import type { NameKind } from '../names/scan-names.ts';
import { plainLine } from '../quoting/plain-lines.ts';

/** Characters before and after a value in which the words stand that say what it is. */
const BEFORE = 48;
const AFTER = 40;
/** A line that starts, or ends, farther away is not searched for it: a file may be one line. */
const LONG_LINE = 400;
/** Characters in which at least one word has to be. */
const NEAR = 24;

/** Braces, brackets and quotation marks of JSON. */
const MARKS = /[{}[\]"'`\\<>]+/g;
/** What follows a number that only counts lines of code, rows of a table or elements of a page. */
const LINE_NUMBER = /^\s*[→\t|:\])]/;
/** The number of a line of code, before what the line says. */
const NUMBERED_LINE = /^\s*\d{1,7}(?:→|\t| ?\| )\s*/;
/** What follows a count of lines or bytes, which says how long an output was. */
const OUTPUT_SIZE = /^ (?:more )?(?:lines?|rows?|chars|characters|bytes|tokens|matches)\b/i;
/** A line of a list of files or processes, or of a diff: its columns have no names. */
const COLUMNS = /^\s*(?:[-dlbcps][-rwxsStT]{9}[.+@]? |index [\da-f]{6,40}\.\.)/;
/** So many other numbers around a value make a row of figures, unless there are more words. */
const ROW_OF_FIGURES = 3;
/** The role of an element of a page before its text: `StaticText 4291`. */
const ROLE = /^(?:\d+ )?[A-Z][a-z]+(?:[A-Z][a-z]+)+ \S+$/;
/** What precedes the number of a line in a file or in a diff, and the zone of a time. */
const IN_FILE = /(?:\bline |\.\w{1,5}:|@@ [-+\d, ]*|:\d\d ?[-+])$/i;
/** A year, and what stands around one in a date: `2026-01-28`, `28.01.2026`, `Jan 28, 2026`, `8 octobre 2025`, `Oct 2025`. */
const YEAR = /^(?:19|20)\d\d$/;
const AFTER_YEAR = /^[-/.年]\s?\d\d?/;
const BEFORE_YEAR =
  /\b\d\d?(?:st|nd|rd|th)?[ ,./-]+(?:(?:de |of )?\p{L}{3,}[ .,]+(?:de )?)?$|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ .,]+$|(?:©|\(c\)) ?$/iu;
/** Tags of a page, also one that begins before the words or ends after them; and what an address encodes. */
const TAGS = /^[^<>]*="[^<>]*>|<\/?[a-z][^<>]*(?:>|$)/gi;
const ENCODED = /%[\da-f]{2}/i;
const WORD = /\p{L}{3,}/u;

/** A name with a number at its end, such as `gift_card_5094406`. */
const NUMBERED = /_\d{4,}$/;

/** True for what a reader understands only with the words around it. */
export function isId(name: string, kind: NameKind): boolean {
  return kind === 'number' || kind === 'hash' || (kind === 'name' && NUMBERED.test(name));
}

/** True for a key of a JSON object: it belongs to the tool, and says nothing about this conversation. */
export function isKey(text: string, at: number, length: number): boolean {
  return text[at - 1] === '"' && text[at + length] === '"' && text[at + length + 1] === ':';
}

/** True if there is a word next to the value at this place of a text, in the same line. Pure and cheap. */
export function hasMeaning(text: string, at: number, length: number): boolean {
  const before = text.slice(Math.max(0, at - NEAR), at);
  return WORD.test(before.slice(before.lastIndexOf('\n') + 1)) || WORD.test(afterIn(text, at + length, NEAR));
}

/** The value with the few words around it that say what it is: `order 7731: gift card`. Undefined if there are none. Pure. */
export function meaningOf(text: string, at: number, value: string): string | undefined {
  const lineStart = startOfLine(text, at);
  if (COLUMNS.test(text.slice(lineStart, lineStart + BEFORE))) return undefined;
  const [number = ''] = NUMBERED_LINE.exec(text.slice(lineStart, lineStart + NEAR)) ?? [];
  const start = lineStart + number.length;
  if (at < start) return undefined;
  const before = lastClause(text.slice(Math.max(start, at - BEFORE), at), at - BEFORE > start);
  const after = firstClause(afterIn(text, at + value.length, AFTER));
  if (/^[\s[(]*$/.test(before) && (LINE_NUMBER.test(after) || isLineNumber(text, lineStart, value))) return undefined;
  if (OUTPUT_SIZE.test(after) || isRow(`${before} ${after}`)) return undefined;
  if (IN_FILE.test(before) || (YEAR.test(value) && (AFTER_YEAR.test(after) || BEFORE_YEAR.test(before))))
    return undefined;
  const around = `${before}${value}${after}`;
  if (ENCODED.test(around)) return undefined;
  const words = plainLine(
    around
      .replace(TAGS, ' ')
      .replace(MARKS, ' ')
      .replace(/ ([,.:;)])/g, '$1'),
  ).trim();
  if (ROLE.test(words)) return undefined;
  return WORD.test(words.replace(value, '')) ? words.replace(/^[\s,.:;=)-]+|[\s,.:;=(-]+$/g, '') : undefined;
}

/** True for figures with hardly any words between them. */
function isRow(text: string): boolean {
  const numbers = text.match(/(?<![\p{L}\d])\d[\d.:]*(?!\p{L})/gu)?.length ?? 0;
  return numbers >= ROW_OF_FIGURES && numbers >= (text.match(/\p{L}{3,}/gu)?.length ?? 0);
}

/** True if the line after the value's line, or the line before it, begins with the next number, or the one before. */
function isLineNumber(text: string, lineStart: number, value: string): boolean {
  const end = text.slice(lineStart, lineStart + LONG_LINE).indexOf('\n') + 1;
  const next = end === 0 ? '' : text.slice(lineStart + end, lineStart + end + NEAR);
  const previous = lineStart === 0 ? '' : text.slice(startOfLine(text, lineStart - 1), lineStart);
  const begins = (line: string, number: number) => new RegExp(`^\\s*${number}\\b`).test(line);
  return begins(next, Number(value) + 1) || begins(previous, Number(value) - 1);
}

/** Where the line with this place begins; if that is far away, a place not too far. */
function startOfLine(text: string, at: number): number {
  const from = Math.max(0, at - LONG_LINE);
  return from + text.slice(from, at).lastIndexOf('\n') + 1;
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
