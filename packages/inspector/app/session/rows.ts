import type { Note, NoteLine, View } from '../../src/api/types.ts';

/** A row of the two columns. */
export type ViewRow =
  | { readonly type: 'message'; readonly index: number; readonly state: 'kept' | 'shortened' | 'folded' }
  /** Folded messages behind their handle; their rows follow if it is open. */
  | {
      readonly type: 'folded';
      readonly from: number;
      readonly to: number;
      readonly handle: string;
      readonly isOpen: boolean;
    }
  | { readonly type: 'note' };

/** The rows for a view: kept and shortened messages, runs of folded ones, and the note in its place. Pure. */
export function rowsOf({ runs, note }: View, open: ReadonlySet<number>): ViewRow[] {
  const rows: ViewRow[] = [];
  let hasNote = note === undefined;
  const addNote = (index: number) => {
    if (hasNote || note === undefined || index < note.before) return;
    rows.push({ type: 'note' });
    hasNote = true;
  };
  for (const { type, from, to, handle = '' } of runs) {
    // A note inside a folded run comes before it: nothing of the run is in the view.
    if (type === 'folded') addNote(note && note.before > from && note.before <= to ? note.before : from);
    if (type === 'folded') rows.push({ type, from, to, handle, isOpen: open.has(from) });
    if (type === 'folded' && !open.has(from)) continue;
    for (let index = from; index <= to; index++) {
      if (type !== 'folded') addNote(index);
      rows.push({ type: 'message', index, state: type });
    }
  }
  addNote(Number.POSITIVE_INFINITY);
  return rows;
}

/** A key for a row that stays when others come and go. Thousands are kept with their heights, so it is a number. Pure. */
export function rowKey(row: ViewRow | undefined): number {
  if (!row || row.type === 'note') return -1;
  return row.type === 'folded' ? -2 - row.from : row.index;
}

/** The folded run that holds a message, by its start. Pure. */
export function runHolding({ runs }: View, index: number): number | undefined {
  return runs.find(({ type, from, to }) => type === 'folded' && from <= index && index <= to)?.from;
}

/** How many messages of the history are folded and shortened. Pure. */
export function countFates({ runs }: View): { readonly folded: number; readonly shortened: number } {
  const sum = (wanted: string) =>
    runs.reduce((all, { type, from, to }) => all + (type === wanted ? to - from + 1 : 0), 0);
  return { folded: sum('folded'), shortened: sum('shortened') };
}

/** The first line of the note for each message that it names. The line above all sections names every message, and says nothing of any. Pure. */
export function linesByMessage(note: Note | undefined): Map<number, NoteLine> {
  const found = new Map<number, NoteLine>();
  for (const line of note?.lines ?? [])
    if (line.section !== undefined) for (const index of line.indexes) if (!found.has(index)) found.set(index, line);
  return found;
}
