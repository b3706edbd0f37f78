import type { Dialect } from '../dialect.ts';
import { addLoads, type Load, NO_LOAD } from '../size/tokens.ts';
import { readTurns } from '../turns/read-turns.ts';
import { viewMessages } from '../view/view.ts';
import { type Piece, pieceOf } from '../view/view-turn.ts';
import { checkPart } from './append.ts';
import type { Known } from './memory.ts';

/** Messages at the end of one view that are no part of the history. */
interface Transient<M> {
  readonly pieces: readonly Piece<M>[];
  readonly load: Load;
}

/** Reads and checks them behind the view that is known. Throws INVALID_HISTORY. */
export function readTransient<M>(
  dialect: Dialect<M>,
  { view, seen }: Known<M>,
  messages: readonly M[],
  rest: boolean | undefined,
): Transient<M> {
  if (messages.length === 0) return { pieces: [], load: NO_LOAD };
  const pieces = readTurns(dialect, messages, 0, seen).map(pieceOf);
  const last = viewMessages({ pieces: view.pieces.slice(-1), head: 0 }).slice(-1);
  checkPart(dialect, [...last, ...messages], seen - last.length, rest);
  return { pieces, load: addLoads(NO_LOAD, pieces) };
}
