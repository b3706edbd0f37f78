import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
// Marks that turn the direction of writing, join or restyle their neighbours, or cannot be seen: terminals disagree on
// their width, and a line that is wider than was thought tears the screen.
const UNSEEN = /\p{Cf}|\p{Variation_Selector}|\p{Emoji_Modifier}/gu;
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
const FLAG_LETTERS = /[\u{1f1e6}-\u{1f1ff}]/gu;
const ODD = /[\p{Cs}\p{Co}\p{Cn}]/gu;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Text from a tool or a model as one line that can do nothing to a terminal. Pure. */
export function clean(text: string): string {
  return stripVTControlCharacters(text)
    .replace(BREAKS, ' ')
    .replace(CONTROLS, '')
    .replace(UNSEEN, '')
    .replace(PILED_MARKS, '$1')
    .replace(FLAG_LETTERS, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x1f1e6 + 65))
    .replace(ODD, '\ufffd');
}

/** How many columns a line takes. Colours count for nothing. Pure. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** At most so many columns of a clean line, its end replaced by `…`. Pure. */
export function cut(text: string, columns: number, mark = '…'): string {
  if (columnsOf(text) <= columns) return text;
  if (columns < columnsOf(mark)) return '';
  return `${leading(text, columns - columnsOf(mark)).trimEnd()}${mark}`;
}

/** At most so many columns, what is too much taken from the middle: paths say most at their ends. Pure. */
export function cutMiddle(text: string, columns: number, mark = '…'): string {
  if (columnsOf(text) <= columns) return text;
  const room = columns - columnsOf(mark);
  if (room < 2) return cut(text, columns, mark);
  const head = leading(text, Math.floor(room / 3));
  return `${head}${mark}${trailing(text, room - columnsOf(head))}`;
}

/** So many columns exactly, blanks at the end where it is shorter. Pure. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** A clean text in lines of at most so many columns, broken at blanks where there are any. Pure. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (word === '') continue;
    const longer = line === '' ? word : `${line} ${word}`;
    if (columnsOf(longer) <= columns) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (columnsOf(line) > columns) {
      const head = leading(line, columns);
      // A character that is wider than the whole line would never fit.
      if (head === '') return lines;
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line !== '') lines.push(line);
  return lines;
}

/** How many rows a line takes in a terminal of so many columns that wraps it. Pure. */
export function rowsOf(text: string, columns: number): number {
  let rows = 1;
  let column = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) {
    const width = columnsOf(segment);
    if (column + width > columns) {
      rows += 1;
      column = 0;
    }
    column += width;
  }
  return rows;
}

function leading(text: string, columns: number): string {
  let taken = '';
  let room = columns;
  for (const { segment } of graphemes.segment(text)) {
    room -= columnsOf(segment);
    if (room < 0) break;
    taken += segment;
  }
  return taken;
}

function trailing(text: string, columns: number): string {
  // Four units are the longest that a column can need, but for marks piled up: no need to look at a whole novel.
  const segments = [...graphemes.segment(text.slice(-columns * 8))];
  let from = text.length;
  let room = columns;
  for (const { segment } of segments.toReversed()) {
    room -= columnsOf(segment);
    if (room < 0) break;
    from -= segment.length;
  }
  return text.slice(from);
}
