import { clean, columnsOf } from './text.ts';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** One line of a text as rows of at most so many columns: blanks stay, words stay whole where they can. Pure. */
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
      // A character that is wider than the whole row would never fit.
      if (wide > columns) continue;
      if (width + wide > columns) {
        // A row that goes on begins with a word.
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

/** A text in rows, line by line. Pure. */
export function wrapText(text: string, columns: number): string[] {
  return text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).flatMap((line) => wrapLine(line, columns));
}

/** A text that comes piece by piece, as rows that stay and the rest that may still change. */
export interface Flow {
  /** Takes a piece in. */
  add(text: string): void;
  /** The rows that are complete, once each, for a terminal of so many columns. */
  rows(columns: number): string[];
  /** What stands behind those rows, in one row. */
  rest(columns: number): string;
  /** The rows that are left, now that no more comes. */
  end(columns: number): string[];
}

/** Rows once given are not taken back: a word that grows can change only the last. Stateful. */
export function createFlow(): Flow {
  let rest = '';
  const take = (columns: number): string[] => {
    const lines = rest.split('\n');
    const open = lines.pop() ?? '';
    const rows = lines.flatMap((line) => wrapLine(line, columns));
    // A long line without an end: what no longer changes need not wait for it.
    const wrapped = wrapLine(open, columns);
    if (wrapped.length < 2) {
      rest = open;
      return rows;
    }
    rest = wrapped.pop() ?? '';
    // The blank behind the last word was cut away with the row's end.
    if (/ $/.test(open)) rest += ' ';
    return [...rows, ...wrapped];
  };
  return {
    add(text) {
      rest += text.replace(/\r\n?/g, '\n');
    },
    rows: take,
    rest: (columns) => wrapLine(rest.split('\n').at(-1) ?? '', columns).at(-1) ?? '',
    end(columns) {
      const rows = [...take(columns), ...(rest === '' ? [] : wrapLine(rest, columns))];
      rest = '';
      return rows;
    },
  };
}
