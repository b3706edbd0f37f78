import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { clean } from './clean.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** How many columns a line takes, not counting colours. Pure. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** Cuts a clean line to `columns`, ending in `…`. Pure. */
export function cut(text: string, columns: number, mark = '…'): string {
  if (columnsOf(text) <= columns) return text;
  if (columns < columnsOf(mark)) return '';
  return `${leading(text, columns - columnsOf(mark)).trimEnd()}${mark}`;
}

/** Cuts a line to `columns` in the middle, because the end of a path says most. Pure. */
export function cutMiddle(text: string, columns: number, mark = '…'): string {
  if (columnsOf(text) <= columns) return text;
  const room = columns - columnsOf(mark);
  if (room < 2) return cut(text, columns, mark);
  const head = leading(text, Math.floor(room / 3));
  return `${head}${mark}${trailing(text, room - columnsOf(head))}`;
}

/** Pads a line with blanks to `columns`. Pure. */
export function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

/** Wraps a text as one paragraph: runs of blanks count as one, and there are no empty rows. Pure. */
export function wrap(text: string, columns: number): string[] {
  return wrapLine(text.replace(/ +/g, ' ').trim(), columns).filter((row) => row !== '');
}

/** Wraps one line into rows of at most `columns`, at blanks where possible; keeps indentation. Pure. */
export function wrapLine(line: string, columns: number): string[] {
  const text = clean(line.replaceAll('\t', '    ')).trimEnd();
  const rows: string[] = [];
  let row = '';
  let width = 0;
  for (const part of text.split(/(?<= )(?=[^ ])/)) {
    const own = columnsOf(part.trimEnd());
    if (width > 0 && width + own > columns) {
      rows.push(row.trimEnd());
      [row, width] = ['', 0];
    }
    if (own <= columns) {
      row += part;
      width += columnsOf(part);
      continue;
    }
    for (const { segment } of graphemes.segment(part)) {
      const wide = columnsOf(segment);
      // A character wider than the row would never fit.
      if (wide > columns) continue;
      if (width + wide > columns) {
        // A continuation row starts with a word.
        if (segment === ' ') continue;
        rows.push(row);
        [row, width] = ['', 0];
      }
      row += segment;
      width += wide;
    }
  }
  rows.push(row.trimEnd());
  return rows;
}

/** Wraps a text, line by line. Pure. */
export function wrapText(text: string, columns: number): string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).flatMap((line) => wrapLine(line, columns));
}

/** How many rows a terminal of `columns` needs for a line. Pure. */
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
  // A column rarely needs more than four units, so the end of a long text is enough.
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
