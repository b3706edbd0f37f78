import type { Dialect } from '../dialect.ts';
import { addLoads, type Load, NO_LOAD } from '../size/tokens.ts';
import { checkPart } from '../turns/check.ts';
import { readTurns } from '../turns/read-turns.ts';
import { viewMessages } from '../view/view.ts';
import { type ViewTurn, viewTurnOf } from '../view/view-turn.ts';
import type { Memory } from './memory.ts';

/** Messages at the end of one view that do not belong to the history. */
interface Transient<M> {
  readonly turns: readonly ViewTurn<M>[];
  readonly load: Load;
}

/** Reads them and checks them after the end of the view. Throws INVALID_HISTORY. */
export function readTransient<M>(
  dialect: Dialect<M>,
  { view, seen }: Memory<M>,
  messages: readonly M[],
  rest: boolean | undefined,
): Transient<M> {
  if (messages.length === 0) return { turns: [], load: NO_LOAD };
  const turns = readTurns(dialect, messages, 0, seen).map(viewTurnOf);
  const last = viewMessages({ turns: view.turns.slice(-1), head: 0 }).slice(-1);
  checkPart(dialect, [...last, ...messages], seen - last.length, rest);
  return { turns, load: addLoads(NO_LOAD, turns) };
}
