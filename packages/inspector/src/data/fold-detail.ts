import { handleTarget, noteLines, noteText, type Receipt, type ReceiptTurn, type WrittenNote } from 'holdfast';
import type { FoldDetail, FoldedTurn, FoldMark, KeptBecause, Note, NoteLine } from '../api/types.ts';

/** Most turns of a receipt that an answer lists. */
export const MOST_TURNS = 500;
/** Most handles of a line of a note that an answer lists. */
const MOST_HANDLES = 50;

/** A note as the API has it. Pure. */
export function noteOf(
  written: WrittenNote,
  rest: Pick<Note, 'tokens' | 'before' | 'fold'> & { readonly summary?: string },
): Note {
  const lines = noteLines(written).map((line): NoteLine => {
    const handles = line.handles.slice(0, MOST_HANDLES);
    const indexes = handles.flatMap(({ handle }) => {
      const { index, to } = handleTarget(handle) ?? {};
      return [index, to?.index].filter((place) => place !== undefined);
    });
    return { ...line, handles, indexes: [...new Set(indexes)] };
  });
  return { text: noteText(written), lines, ...rest };
}

/** What a fold's receipt says, for people. `first`: the first message of a turn, by its position. Pure. */
export function foldDetail(
  mark: FoldMark,
  receipt: Receipt,
  pins: ReadonlySet<number>,
  first: ReadonlyMap<number, Pick<FoldedTurn, 'title' | 'role'>>,
  notes: { readonly before?: Note; readonly after?: Note },
): Omit<FoldDetail, 'of'> {
  const { turns, strategy, kept, masked, dropped, reserve, estimated, why } = receipt;
  const newest = newestFrom(turns);
  const untouched = endOfFirst(turns);
  const because = (turn: ReceiptTurn, at: number): KeptBecause => {
    for (let index = turn.from; index <= turn.to; index++) if (pins.has(index)) return 'pinned';
    if (turn.to < untouched) return 'first';
    return at >= newest ? 'newest' : 'room';
  };
  const shown = turns.slice(0, MOST_TURNS).map((turn, at): FoldedTurn => {
    const { from, to, verdict, tokens, handle } = turn;
    return {
      from,
      to,
      verdict,
      tokens,
      ...(handle === undefined ? {} : { handle }),
      ...(verdict === 'keep' ? { why: because(turn, at) } : {}),
      title: first.get(from)?.title ?? '',
      role: first.get(from)?.role ?? 'user',
    };
  });
  return {
    ...mark,
    strategy,
    kept,
    masked,
    dropped,
    turns: shown,
    ...(turns.length > shown.length ? { more: turns.length - shown.length } : {}),
    ...(notes.before ? { noteBefore: notes.before } : {}),
    ...(notes.after ? { noteAfter: notes.after } : {}),
    reserve,
    estimated,
    ...(why === undefined ? {} : { why }),
  };
}

/** Where the first messages end that this fold, and those before it, left as they were. */
function endOfFirst(turns: readonly ReceiptTurn[]): number {
  let end = 0;
  for (const { from, to, verdict } of turns) {
    if (from !== end || verdict !== 'keep') break;
    end = to + 1;
  }
  return end;
}

/** The first of the turns at the end that all stayed. */
function newestFrom(turns: readonly ReceiptTurn[]): number {
  return turns.findLastIndex(({ verdict }) => verdict !== 'keep') + 1;
}
