import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import type { Budget, Size } from '../size/budget.ts';
import type { ArchiveEntry } from '../state/archive.ts';
import { handleOf } from '../state/archive.ts';
import { enact, type FoldEntry } from '../state/state.ts';
import { readTurns } from '../turns/read-turns.ts';
import { traceOf } from '../turns/snapshot.ts';
import { type View, viewOf } from '../view/view.ts';
import { type Piece, pieceOf, unthinkPiece } from '../view/view-turn.ts';
import { sourcesOf } from './compare.ts';
import { type Known, traceAt } from './memory.ts';

/** A rebuilt view, the messages after its last fold, and originals to archive before the view is returned. */
interface Rebuilt<M> extends Pick<Known<M>, 'recent' | 'snapshots' | 'edge' | 'kept' | 'prints'> {
  readonly view: View<M>;
  readonly stripped: readonly ArchiveEntry<M>[];
}

/** True if the view before the newest fold is still known. */
export function canUndo<M>({ log }: Known<M>): boolean {
  const last = log.at(-1);
  return last !== undefined && (last.prior === 0 || log.at(-2)?.covered === last.prior);
}

/** The view with this fold as its last, or with none: what the fold kept, and all later messages as they arrived. */
export async function rebuild<M>(
  dialect: Dialect<M>,
  before: Known<M>,
  entry: FoldEntry | undefined,
  original: (index: number) => Promise<M>,
): Promise<Rebuilt<M>> {
  const { seen, eras } = before;
  const covered = entry?.covered ?? 0;
  const history: M[] = new Array(seen);
  for (const { from, count } of [...(entry?.kept ?? []), { from: covered, count: seen - covered }])
    for (let i = from; i < from + count; i++) history[i] = await original(i);
  const base: View<M> = entry ? enact(dialect, history, entry, eras) : { pieces: [], head: 0 };
  const stripped: ArchiveEntry<M>[] = [];
  // Thinking after a change is bound to text that is gone, and removed thinking may not come back.
  const bare = (piece: Piece<M>): Piece<M> | [] => {
    const now = dialect.thinking === 'bound' ? unthinkPiece(dialect, piece) : piece;
    if (now !== piece)
      for (const [i, message] of piece.messages.entries())
        stripped.push({ handle: handleOf(piece.from + i, eras), message });
    return now ?? [];
  };
  const later = readTurns(dialect, history, covered, covered).map(pieceOf).flatMap(bare);
  const view = viewOf(dialect, [...base.pieces, ...later], base.head, entry?.note);
  // A message that was changed in place is compared with its original content.
  const trace = (at: number) => traceAt(before, at) ?? traceOf(history[at] as M);
  const since = history.slice(covered).map((_, i) => trace(covered + i));
  const { [covered - 1]: last } = history;
  return {
    view,
    stripped,
    ...sourcesOf(dialect, base.pieces, trace, new Map()),
    recent: since.map(({ message }) => message),
    snapshots: since.map(({ held }) => held),
    edge: last === undefined ? undefined : trace(covered - 1),
  };
}

/** The size that a view may reach after an undo before it is folded again: as much more as a fold frees. */
export function heldUntil(size: Size, { max, target }: Budget): Partial<Size> {
  const units = (['messages', 'tokens'] as const).filter((unit) => Number.isFinite(max[unit]));
  return Object.fromEntries(units.map((unit) => [unit, size[unit] + max[unit] - target[unit]]));
}

/** True if the view has outgrown the size that an undo allows. */
export function isPast(size: Size, { messages, tokens }: Partial<Size>): boolean {
  return size.messages > (messages ?? Number.POSITIVE_INFINITY) || size.tokens > (tokens ?? Number.POSITIVE_INFINITY);
}

/** The error for an undo that would overflow the model's window. */
export function undoRefused(size: Size, limit: number, over: string): HoldfastError {
  const bounds = over === '' ? `the limit is ${limit}` : over;
  return new HoldfastError(
    'OVER_BUDGET',
    `undo refused: without the fold the view has ${size.tokens} tokens (${size.messages} messages), ${bounds}. Recall single handles instead`,
    { floor: size, max: { tokens: limit } },
  );
}
