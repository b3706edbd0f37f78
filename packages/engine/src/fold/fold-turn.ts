import type { Dialect } from '../dialect.ts';
import type { Revisions } from '../handles/handles.ts';
import type { Digest } from '../note/digest.ts';
import type { Budget, Size } from '../size/budget.ts';
import { addLoads, type Calibration, type Load, NO_LOAD } from '../size/tokens.ts';
import type { Summary } from '../state/state.ts';
import type { StatementReader } from '../statements/statements.ts';
import type { Strategy, Verdict } from '../strategy.ts';
import type { View } from '../view/view.ts';
import { unthinkTurn, type ViewTurn } from '../view/view-turn.ts';
import { instructionsIn } from './instructions.ts';
import { isPinned } from './pins.ts';

export interface FoldInput<M> {
  readonly dialect: Dialect<M>;
  readonly reader: StatementReader;
  readonly strategies: readonly Strategy[];
  readonly view: View<M>;
  readonly load: Load;
  readonly budget: Budget;
  readonly calibration: Calibration;
  readonly digest: Digest;
  readonly revisions: Revisions;
  /** Messages of the history that the view accounts for. */
  readonly seen: number;
  /** Messages of the history that the last fold covered. */
  readonly covered: number;
  readonly pins: readonly number[];
  readonly summary: Summary;
  /** Every fold gets a summary, whatever the strategy asks for. */
  readonly summarize: boolean;
  readonly focus?: string;
  /** Requested by `compact()`. */
  readonly compacts?: boolean;
  /** For `compact()`: the budget for strategies, and the size to go down to as far as what must stay allows. */
  readonly goal?: { readonly budget: Budget; readonly most: Size };
  /** Only cut results that have left the last exchange. */
  readonly trims?: boolean;
}

/** A turn of the view during a fold: as it was, as it is now, and what protects it. */
export interface FoldTurn<M> {
  readonly before: ViewTurn<M>;
  /** Undefined if it is dropped. Each step of a fold may change it. */
  now: ViewTurn<M> | undefined;
  /** May not be dropped. What a turn of the floor needs beside it becomes a part of it. */
  floor: boolean;
  /**
   * Of the floor, but its results may be shortened: the newest turn, if it is not pinned, and what is there for an instruction
   * in it or for what is beside it.
   */
  yields: boolean;
  /** Indexes of its instructions: those that stay whole, and those for which the quota has no room. */
  readonly instructs: readonly number[];
  readonly crowded: readonly number[];
  readonly pinned: boolean;
  /** Holds the user's newest words next to tool results: dropped only when nothing else is left to drop. */
  readonly aside: boolean;
  /** Holds results that the model has not answered yet, and the user has spoken since: like `aside`, and whole if there is room. */
  readonly unseen: boolean;
  readonly newest: boolean;
  readonly head: boolean;
}

/** The turns of the view, as they are, with what protects each from the fold. Pure. */
export function foldTurns<M>(input: FoldInput<M>): FoldTurn<M>[] {
  const { dialect, view, budget, pins } = input;
  const { turns } = view;
  // A message of nothing but thinking cannot stay where thinking cannot.
  const vanishes = (turn: ViewTurn<M>) => dialect.thinking === 'bound' && unthinkTurn(dialect, turn) === undefined;
  const speaks = turns.findLastIndex((turn) => turn.role !== 'system' && !vanishes(turn));
  const last = speaks < 0 ? turns.findLastIndex((turn) => !vanishes(turn)) : speaks;
  const firstAsk = turns.findIndex((turn) => turn.asks);
  const newestAsk = turns.findLastIndex((turn) => turn.asks);
  const newestWords = turns.findLastIndex(
    ({ words, readings }) =>
      words && readings.some((one) => one.words && one.role !== 'assistant' && one.role !== 'system'),
  );
  const unanswered = unansweredFrom(turns);
  const head = headLength(turns, budget.preserve_first_n);
  const { standing, crowded } = instructionsIn(input);
  let isLeading = true;
  return turns.map((turn, i) => {
    isLeading &&= turn.role === 'system';
    const pinned = isPinned(turn, pins);
    const instructs = standing.filter((at) => isPinned(turn, [at]));
    const newest = i === last && !pinned;
    const isWhole = isLeading || pinned || turn.firm || i === firstAsk || i === newestAsk;
    const floor = isWhole || i === last || instructs.length > 0;
    const unseen = !floor && i === unanswered;
    return {
      before: turn,
      now: vanishes(turn) ? undefined : turn,
      floor,
      yields: newest || (floor && !isWhole && turn.role !== 'system'),
      instructs,
      crowded: crowded.filter((at) => isPinned(turn, [at])),
      pinned,
      aside: unseen || (!isWhole && i === newestWords),
      unseen,
      newest,
      head: i < head && (isLeading || turn.role !== 'system'),
    };
  });
}

/** The first turn that the model has not answered: with the results of its newest calls, or else the newest. */
export function unansweredFrom<M>(turns: readonly ViewTurn<M>[]): number {
  const spoken = turns.findLastIndex(({ readings }) => readings.some(({ role }) => role === 'assistant'));
  return turns[spoken]?.readings.at(-1)?.results.length ? spoken : turns.length - 1;
}

/** True for a turn that, in this format, an assistant message must follow. */
export function endsInSystem<M>({ systemInside }: Dialect<M>, turn: ViewTurn<M> | undefined): boolean {
  return systemInside === 'after-user' && turn?.readings.at(-1)?.role === 'system';
}

/**
 * Leading system messages and whole turns up to `preserve_first_n` messages, later system messages not counted; at least the
 * first turn, never the newest.
 */
function headLength<M>(turns: readonly ViewTurn<M>[], first: number): number {
  const newest = turns.findLastIndex(({ role }) => role !== 'system');
  let head = 0;
  while (turns[head]?.role === 'system') head++;
  const system = head;
  let messages = 0;
  while (head < newest) {
    messages += turns[head]?.readings.filter(({ role }) => role !== 'system').length ?? 0;
    if (messages > first && head > system) break;
    head++;
  }
  return head;
}

/** The load of what is left of the turns. */
export function loadNow<M>(turns: readonly FoldTurn<M>[]): Load {
  const left = turns.map(({ now }) => now);
  return addLoads(NO_LOAD, left);
}

/** What the fold did to a turn. */
export function verdictOf<M>({ before, now }: FoldTurn<M>): Verdict {
  if (now === undefined) return 'drop';
  return now.cuts.length > before.cuts.length ? 'mask' : 'keep';
}
