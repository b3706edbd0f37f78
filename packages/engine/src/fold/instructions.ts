import type { Dialect } from '../dialect.ts';
import { type Budget, exceeds, type Size } from '../size/budget.ts';
import { addLoads, type Calibration, type Load, loadOf, NO_LOAD, tokensOf } from '../size/tokens.ts';
import { isCut, WORDS } from '../view/mask.ts';
import type { View } from '../view/view.ts';
import type { ViewTurn } from '../view/view-turn.ts';
import { kindsOf } from './instruction-kinds.ts';
import { isPinned, quotaOf } from './pins.ts';

/** Indexes of the newest instructions of their kinds. */
interface Instructions {
  /** Those that stay whole. */
  readonly standing: readonly number[];
  /** Those for which pins and newer kinds leave no room. */
  readonly crowded: readonly number[];
}

interface Pinned<M> {
  readonly dialect: Dialect<M>;
  readonly view: View<M>;
  readonly pins: readonly number[];
  readonly budget: Budget;
  readonly calibration: Calibration;
}

/**
 * The newest instruction of each kind in the view, leading system messages aside. Together with pins they may take half of the
 * budget: the oldest kinds are the first for which there is no room. Pure.
 */
export function instructionsIn<M>({ dialect, view, budget, calibration, pins }: Pinned<M>): Instructions {
  const standing: number[] = [];
  const crowded: number[] = [];
  const newest = newestOfKinds(dialect, view.turns);
  if (newest.length === 0) return { standing, crowded };
  const quota = quotaOf(budget);
  const isTooMuch = (load: Load) => exceeds(sizeOf(load, calibration), quota);
  let load = addLoads(
    NO_LOAD,
    view.turns.filter((turn) => isPinned(turn, pins)),
  );
  let isFull = false;
  for (const { at, turn } of newest) {
    if (isCut(turn, at, WORDS)) continue;
    const own = loadOf(turn.readings.slice(at - turn.from, at - turn.from + 1));
    const all = isPinned(turn, pins) ? load : addLoads(load, [{ load: own }]);
    const isOver: boolean = all !== load && (isFull || isTooMuch(all));
    // One that is too large by itself does not take the room of older ones.
    isFull ||= isOver && !isTooMuch(own);
    if (!isOver) load = all;
    (isOver ? crowded : standing).push(at);
  }
  return { standing, crowded };
}

function sizeOf(load: Load, calibration: Calibration): Size {
  return { messages: load.messages, tokens: tokensOf(load, calibration) };
}

interface Instruction<M> {
  readonly at: number;
  readonly turn: ViewTurn<M>;
}

/** Those that are the newest of any kind, the newest first. */
function newestOfKinds<M>(dialect: Dialect<M>, turns: readonly ViewTurn<M>[]): Instruction<M>[] {
  const leading = turns.findIndex(({ role }) => role !== 'system');
  const kinds = new Set<string>();
  const newest: Instruction<M>[] = [];
  for (const turn of turns.slice(Math.max(0, leading)).reverse())
    for (let i = turn.readings.length - 1; i >= 0; i--) {
      const { role, firm, words } = turn.readings[i] ?? {};
      if (role !== 'system' || firm) continue;
      const known = kinds.size;
      for (const kind of kindsOf(words ? dialect.text(turn.messages[i] as M) : '')) kinds.add(kind);
      if (kinds.size > known) newest.push({ at: turn.from + i, turn });
    }
  return newest;
}
