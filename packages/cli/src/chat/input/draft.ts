/** A text that came by paste and is shown as one thing. */
export interface Pasted {
  readonly pasted: string;
}

/** What one step of the cursor passes: a character as people see it, or a long paste. */
export type Atom = string | Pasted;

/** What is being written, and where the cursor stands: before the atom of that number. */
export interface Draft {
  readonly atoms: readonly Atom[];
  readonly cursor: number;
}

export const EMPTY: Draft = { atoms: [], cursor: 0 };

/** A paste that is longer than this, in characters or lines, is shown as one thing. */
const LONG_CHARS = 400;
const LONG_LINES = 6;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A draft of this text, the cursor behind it. Pure. */
export function draftOf(text: string): Draft {
  return isLong(text) ? insertPaste(EMPTY, text) : insert(EMPTY, text);
}

/** The whole text, pastes included. Pure. */
export function textOf({ atoms }: Pick<Draft, 'atoms'>): string {
  return atoms.map((atom) => (typeof atom === 'string' ? atom : atom.pasted)).join('');
}

/** Text at the cursor, which goes behind it. A mark that belongs to the character before joins it. Pure. */
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

/** What was pasted, with line ends of any kind; as one thing if it is long. Pure. */
export function insertPaste(draft: Draft, text: string): Draft {
  const plain = text.replace(/\r\n?/g, '\n');
  if (!isLong(plain)) return insert(draft, plain);
  const { atoms, cursor } = draft;
  return {
    atoms: [...atoms.slice(0, cursor), { pasted: plain }, ...atoms.slice(cursor)],
    cursor: cursor + 1,
  };
}

/** Without the atoms from one place to another, the cursor where they were. Pure. */
export function remove({ atoms }: Draft, from: number, to: number): Draft {
  const start = Math.max(0, from);
  return { atoms: [...atoms.slice(0, start), ...atoms.slice(to)], cursor: start };
}

/** The cursor at this place, or the nearest there is. Pure. */
export function moved({ atoms }: Draft, cursor: number): Draft {
  return { atoms, cursor: Math.max(0, Math.min(atoms.length, cursor)) };
}

/** Where the line of the cursor begins. Pure. */
export function lineStart({ atoms, cursor }: Draft): number {
  return cursor === 0 ? 0 : atoms.lastIndexOf('\n', cursor - 1) + 1;
}

/** Where the line of the cursor ends. Pure. */
export function lineEnd({ atoms, cursor }: Draft): number {
  const end = atoms.indexOf('\n', cursor);
  return end < 0 ? atoms.length : end;
}

/** The beginning of the word before the cursor. Pure. */
export function wordStart({ atoms, cursor }: Draft): number {
  let at = cursor;
  while (at > 0 && !isWord(atoms[at - 1])) at--;
  while (at > 0 && isWord(atoms[at - 1])) at--;
  return at;
}

/** The end of the word behind the cursor. Pure. */
export function wordEnd({ atoms, cursor }: Draft): number {
  let at = cursor;
  while (at < atoms.length && !isWord(atoms[at])) at++;
  while (at < atoms.length && isWord(atoms[at])) at++;
  return at;
}

/** The same column of the line above or below; undefined if there is none. Pure. */
export function vertical(draft: Draft, step: -1 | 1): number | undefined {
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

function isLong(text: string): boolean {
  return text.length > LONG_CHARS || text.split('\n', LONG_LINES + 1).length > LONG_LINES;
}

function split(text: string): string[] {
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}
