import type { Dialect } from '../dialect.ts';
import { isRecord } from '../json/record.ts';
import { viewOf } from '../view/view.ts';
import { unthinkTurn, type ViewTurn } from '../view/view-turn.ts';
import type { FoldTurn } from './fold-turn.ts';

/**
 * True if a request may have `next` right after `before`, or first if there is none, as far as it may have each by itself.
 * Pure.
 */
export function mayFollow<M>(dialect: Dialect<M>, before: M | undefined, next: M): boolean {
  const faults = (messages: readonly M[], part = true) => dialect.validate(messages, { part }).length;
  if (!isRecord(next)) return true;
  if (before === undefined) return faults([next], false) <= faults([next]);
  return !isRecord(before) || faults([before, next]) <= faults([before]) + faults([next]);
}

/** True if the second turn may directly follow the first. */
export function areNeighbors<M>(dialect: Dialect<M>, first: ViewTurn<M>, second: ViewTurn<M>): boolean {
  return mayFollow(dialect, first.messages.at(-1), second.messages[0] as M);
}

/** True if the note will be between these turns, and may be there. */
function isParted<M>(dialect: Dialect<M>, isNoted: boolean, first: FoldTurn<M>, second: FoldTurn<M>): boolean {
  if (!isNoted || !first.head || second.head) return false;
  const { note } = viewOf(dialect, [first.before, second.before], 1, [{ lines: [['A note.']] }]);
  if (!note) return false;
  const before = first.before.messages.at(-1);
  return mayFollow(dialect, before, note.message) && mayFollow(dialect, note.message, second.before.messages[0] as M);
}

/**
 * Keeps between two turns that must stay what has to be between them, `shortened` if it was to go. Returns the turn before
 * which a note has to be, because nothing else is left to part it from the one before.
 */
export function keepBeside<M>(
  dialect: Dialect<M>,
  turns: readonly FoldTurn<M>[],
  isNoted: boolean,
  shortened: (turn: ViewTurn<M>) => ViewTurn<M>,
): FoldTurn<M> | undefined {
  const restore = (turn: FoldTurn<M>) => {
    turn.now ??= shortened(turn.before);
  };
  // The head may still go if the budget is too small for it.
  bridge(dialect, turns, isNoted, ({ floor, head }) => floor || head, restore);
  return bridge(
    dialect,
    turns,
    isNoted,
    ({ floor }) => floor,
    (turn) => {
      restore(turn);
      turn.floor = true;
      turn.yields = true;
    },
  );
}

/** Gives `keep` what has to be between turns that stay. Returns the turn before which there is nothing to keep. */
function bridge<M>(
  dialect: Dialect<M>,
  turns: readonly FoldTurn<M>[],
  isNoted: boolean,
  stays: (turn: FoldTurn<M>) => boolean,
  keep: (turn: FoldTurn<M>) => void,
): FoldTurn<M> | undefined {
  let gap: FoldTurn<M> | undefined;
  let from = -1;
  for (const [at, turn] of turns.entries()) {
    if (!turn.now || !stays(turn)) continue;
    for (let last = turns[from]; last && !areNeighbors(dialect, last.before, turn.before); last = turns[from]) {
      if (isParted(dialect, isNoted, last, turn)) break;
      const bridge = placeBetween(dialect, turns, from, at);
      if (bridge < 0) {
        gap = turn;
        break;
      }
      keep(turns[bridge] as FoldTurn<M>);
      from = bridge;
    }
    from = at;
  }
  return gap;
}

/** The place of a turn that fits between two others, or at least behind the first; better one that stays anyway. */
function placeBetween<M>(dialect: Dialect<M>, turns: readonly FoldTurn<M>[], from: number, to: number): number {
  const { before: first } = turns[from] as FoldTurn<M>;
  const { before: second } = turns[to] as FoldTurn<M>;
  const fits = ({ before }: FoldTurn<M>, at: number) => at > from && at < to && areNeighbors(dialect, first, before);
  const parts = (turn: FoldTurn<M>, at: number) => fits(turn, at) && areNeighbors(dialect, turn.before, second);
  const isLasting = ({ before }: FoldTurn<M>) => dialect.thinking !== 'bound' || unthinkTurn(dialect, before);
  const staying = turns.findIndex((turn, at) => turn.now && parts(turn, at));
  if (staying >= 0) return staying;
  const parting = turns.findIndex((turn, at) => parts(turn, at) && isLasting(turn));
  return parting >= 0 ? parting : turns.findIndex((turn, at) => fits(turn, at) && isLasting(turn));
}

/** Drops turns that may go where two that stay are not to be neighbors, the first of them if possible. */
export function dropMisplaced<M>(dialect: Dialect<M>, turns: readonly FoldTurn<M>[], isNoted: boolean): void {
  const staying = turns.filter(({ now }) => now);
  for (let i = staying.length - 2; i >= 0; i--) {
    for (let next = staying[i + 1]; next; next = staying[i + 1]) {
      const turn = staying[i] as FoldTurn<M>;
      if (areNeighbors(dialect, turn.before, next.before) || isParted(dialect, isNoted, turn, next)) break;
      if (turn.floor && next.floor) break;
      const goes = turn.floor ? i + 1 : i;
      (staying[goes] as FoldTurn<M>).now = undefined;
      staying.splice(goes, 1);
      if (goes === i) break;
    }
  }
}
