import { clean } from '../../view/clean.ts';
import { columnsOf, cut } from '../../view/text.ts';
import type { Stroke } from './keys.ts';

/** A long paste, shown as one placeholder. */
export interface Pasted {
  readonly pasted: string;
}

/** What one cursor step passes: a grapheme or a long paste. */
export type Atom = string | Pasted;

/** The text being typed; the cursor is before the atom with its index. */
export interface Draft {
  readonly atoms: readonly Atom[];
  readonly cursor: number;
}

export const EMPTY: Draft = { atoms: [], cursor: 0 };

/** A paste longer than this, in characters or lines, becomes a placeholder. */
const LONG_PASTE = { chars: 400, lines: 6 };
/** An earlier prompt comes back to be edited: only a much longer one becomes a placeholder. Not measured. */
const LONG_PROMPT = { chars: 4_000, lines: 80 };
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A draft of this text with the cursor at its end. Pure. */
export function draftOf(text: string): Draft {
  return isLong(text, LONG_PROMPT) ? insertPaste(EMPTY, text) : insert(EMPTY, text);
}

/** The whole text, pastes included. Pure. */
export function textOf({ atoms }: Pick<Draft, 'atoms'>): string {
  return atoms.map((atom) => (typeof atom === 'string' ? atom : atom.pasted)).join('');
}

/** Inserts text at the cursor; a combining mark joins the character before it. Pure. */
export function insert({ atoms, cursor }: Draft, text: string): Draft {
  const before = atoms[cursor - 1];
  const after = atoms[cursor];
  const head = typeof before === 'string' ? 1 : 0;
  const tail = typeof after === 'string' ? 1 : 0;
  const left = split(`${head === 1 ? before : ''}${text}`);
  const joined = split(`${left.join('')}${tail === 1 ? after : ''}`);
  return {
    atoms: [...atoms.slice(0, cursor - head), ...joined, ...atoms.slice(cursor + tail)],
    cursor: cursor - head + Math.min(left.length, joined.length),
  };
}

/** Inserts a paste with any kind of line ends, as a placeholder if it is long. Pure. */
export function insertPaste(draft: Draft, text: string): Draft {
  const plain = text.replace(/\r\n?/g, '\n');
  if (!isLong(plain, LONG_PASTE)) return insert(draft, plain);
  const { atoms, cursor } = draft;
  return {
    atoms: [...atoms.slice(0, cursor), { pasted: plain }, ...atoms.slice(cursor)],
    cursor: cursor + 1,
  };
}

/** Removes a range of atoms and puts the cursor there. */
function remove({ atoms }: Draft, from: number, to: number): Draft {
  const start = Math.max(0, from);
  return { atoms: [...atoms.slice(0, start), ...atoms.slice(to)], cursor: start };
}

/** Moves the cursor to this place, or the nearest one. Pure. */
export function moved({ atoms }: Draft, cursor: number): Draft {
  return { atoms, cursor: Math.max(0, Math.min(atoms.length, cursor)) };
}

function lineStart({ atoms, cursor }: Draft): number {
  return cursor === 0 ? 0 : atoms.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ atoms, cursor }: Draft): number {
  const end = atoms.indexOf('\n', cursor);
  return end < 0 ? atoms.length : end;
}

function wordStart({ atoms, cursor }: Draft): number {
  let at = cursor;
  while (at > 0 && !isWord(atoms[at - 1])) at--;
  while (at > 0 && isWord(atoms[at - 1])) at--;
  return at;
}

function wordEnd({ atoms, cursor }: Draft): number {
  let at = cursor;
  while (at < atoms.length && !isWord(atoms[at])) at++;
  while (at < atoms.length && isWord(atoms[at])) at++;
  return at;
}

/** The same column in the line above or below; undefined if there is no such line. */
function vertical(draft: Draft, step: -1 | 1): number | undefined {
  const start = lineStart(draft);
  const column = draft.cursor - start;
  const other = step < 0 ? start - 1 : lineEnd(draft) + 1;
  if (other < 0 || other > draft.atoms.length) return undefined;
  const there = moved(draft, other);
  return Math.min(lineStart(there) + column, lineEnd(there));
}

function isWord(atom: Atom | undefined): boolean {
  return typeof atom === 'string' ? /[\p{L}\p{N}\p{M}_\p{Extended_Pictographic}]/u.test(atom) : atom !== undefined;
}

function isLong(text: string, { chars, lines }: typeof LONG_PASTE): boolean {
  return text.length > chars || text.split('\n', lines + 1).length > lines;
}

function split(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}

/** A draft after a stroke. `killed`: the text it cut, for a later yank. */
export interface Edited {
  readonly draft: Draft;
  readonly killed?: string;
}

type Edit = (draft: Draft, killed: string, text: string) => Edited | undefined;

const moveTo =
  (place: (draft: Draft) => number | undefined): Edit =>
  (draft) => {
    const cursor = place(draft);
    return cursor === undefined ? undefined : { draft: moved(draft, cursor) };
  };

const kill =
  (range: (draft: Draft) => readonly [number, number]): Edit =>
  (draft, killed) => {
    const [from, to] = range(draft);
    const cut = textOf({ atoms: draft.atoms.slice(Math.max(0, from), to) });
    return { draft: remove(draft, from, to), killed: cut || killed };
  };

const EDITS: { readonly [T in Stroke['type']]?: Edit } = {
  text: (draft, _, text) => ({ draft: insert(draft, text) }),
  newline: (draft) => ({ draft: insert(draft, '\n') }),
  yank: (draft, killed) => ({ draft: insert(draft, killed) }),
  backspace: (draft) => ({ draft: remove(draft, draft.cursor - 1, draft.cursor) }),
  delete: (draft) => ({ draft: remove(draft, draft.cursor, draft.cursor + 1) }),
  left: moveTo(({ cursor }) => cursor - 1),
  right: moveTo(({ cursor }) => cursor + 1),
  home: moveTo(lineStart),
  end: moveTo(lineEnd),
  'word-left': moveTo(wordStart),
  'word-right': moveTo(wordEnd),
  up: moveTo((draft) => vertical(draft, -1)),
  down: moveTo((draft) => vertical(draft, 1)),
  'kill-line': kill((draft) => [lineStart(draft), draft.cursor]),
  'kill-rest': kill((draft) => [draft.cursor, Math.max(draft.cursor + 1, lineEnd(draft))]),
  'kill-word': kill((draft) => [wordStart(draft), draft.cursor]),
  'kill-word-right': kill((draft) => [draft.cursor, wordEnd(draft)]),
};

/** The draft after a stroke; undefined if the stroke does not edit, or has no effect here. Pure. */
export function edit(draft: Draft, stroke: Stroke, killed = ''): Edited | undefined {
  return EDITS[stroke.type]?.(draft, killed, stroke.type === 'text' ? stroke.text : '');
}

/** For Enter after a trailing backslash: the draft with a line break instead; otherwise undefined. Pure. */
export function continued(draft: Draft): Draft | undefined {
  const { atoms, cursor } = draft;
  return atoms[cursor - 1] === '\\' && cursor === atoms.length
    ? insert(remove(draft, cursor - 1, cursor), '\n')
    : undefined;
}

/** Columns of `> `. */
const MARK = 2;

interface Cell {
  readonly text: string;
  readonly columns: number;
  readonly atom: number;
}

/** A draft as rows of at most `columns`, the cursor's cell painted, cut to `most` rows around the cursor. Pure. */
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

/** Rows of cells. Each line ends with a blank cell for the cursor. */
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
    // A character wider than the terminal would never fit.
    return columnsOf(text) > room ? '?' : text;
  }
  const lines = atom.pasted.replace(/\n$/, '').split('\n').length;
  const size = `${atom.pasted.length.toLocaleString('en')} characters`;
  return cut(`[pasted: ${size}${lines > 1 ? `, ${lines.toLocaleString('en')} lines` : ''}]`, room);
}
