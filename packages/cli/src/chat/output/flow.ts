import { wrapLine } from '../../view/text.ts';

/** Streamed text as final rows and a rest that may still change. */
export interface Flow {
  add(text: string): void;
  /** The rows completed since the last call. */
  rows(columns: number): string[];
  /** The rows that are not final yet. */
  rest(columns: number): string[];
  /** The remaining rows, once the text is complete. */
  end(columns: number): string[];
}

/** Final rows never change, because a growing word affects only the last row. Stateful. */
export function createFlow(): Flow {
  let rest = '';
  const take = (columns: number): string[] => {
    const lines = rest.split('\n');
    const open = lines.pop() ?? '';
    const rows = lines.flatMap((line) => wrapLine(line, columns));
    // Of a long open line, all rows but the last are final.
    const wrapped = wrapLine(open, columns);
    if (wrapped.length < 2) {
      rest = open;
      return rows;
    }
    rest = wrapped.pop() ?? '';
    // Wrapping trimmed the blank after the last word.
    if (/ $/.test(open)) rest += ' ';
    return [...rows, ...wrapped];
  };
  return {
    add(text) {
      rest += text.replace(/\r\n?/g, '\n');
    },
    rows: take,
    rest: (columns) => (rest === '' ? [] : wrapLine(rest.split('\n').at(-1) ?? '', columns).slice(-1)),
    end(columns) {
      const rows = [...take(columns), ...(rest === '' ? [] : wrapLine(rest, columns))];
      rest = '';
      return rows;
    },
  };
}
