import { clean, columnsOf, cut } from '../../view/text.ts';
import type { Atom, Draft } from './draft.ts';

/** How many columns `> ` takes. */
const MARK = 2;

interface Cell {
  readonly text: string;
  readonly columns: number;
  readonly atom: number;
}

/**
 * A draft as rows of at most so many columns, the cursor as a cell painted by `paint`; only `most` rows around the cursor.
 * Pure.
 */
export function draftRows(
  draft: Draft,
  columns: number,
  most: number,
  paint: (text: string) => string,
  mark = '> ',
): string[] {
  const room = Math.max(1, columns - MARK);
  const rows = laidOut(draft.atoms, room);
  const at = rows.findLastIndex((row) => (row[0]?.atom ?? Number.POSITIVE_INFINITY) <= draft.cursor);
  const from = Math.max(0, Math.min(at - Math.floor(most / 2), rows.length - most));
  return rows.slice(from, from + most).map((row, i) => {
    const cells = row.map(({ text, atom }) => (atom === draft.cursor ? paint(text) : text)).join('');
    const lead = from + i === 0 ? mark : ' '.repeat(MARK);
    return `${lead}${cells}`;
  });
}

/** Rows of cells. Each line ends with a blank cell, for the cursor to stand on. */
function laidOut(atoms: readonly Atom[], room: number): Cell[][] {
  const rows: Cell[][] = [[]];
  let column = 0;
  const put = (cell: Cell) => {
    if (column + cell.columns > room && column > 0) {
      rows.push([]);
      column = 0;
    }
    rows.at(-1)?.push(cell);
    column += cell.columns;
  };
  for (const [atom, value] of atoms.entries()) {
    if (value === '\n') {
      put({ text: ' ', columns: 1, atom });
      rows.push([]);
      column = 0;
      continue;
    }
    const text = shown(value, room);
    put({ text, columns: columnsOf(text), atom });
  }
  put({ text: ' ', columns: 1, atom: atoms.length });
  return rows;
}

function shown(atom: Atom, room: number): string {
  if (typeof atom === 'string') {
    const text = clean(atom);
    // What is wider than the terminal could stand nowhere.
    return columnsOf(text) > room ? '?' : text;
  }
  const lines = atom.pasted.split('\n').length;
  const size = `${atom.pasted.length.toLocaleString('en')} characters`;
  return cut(`[pasted: ${size}${lines > 1 ? `, ${lines.toLocaleString('en')} lines` : ''}]`, room);
}
