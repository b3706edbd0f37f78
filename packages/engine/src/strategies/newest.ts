import { type Budget, exceeds, type Size } from '../size/budget.ts';
import type { Turn, Verdict } from '../strategy.ts';

/** How the newest turns are chosen. */
export interface Newest {
  /** Tokens that the note will take; undefined means no note. */
  readonly note?: number;
  /** How large the view may be with this turn in it. */
  readonly bound: (turn: Turn) => Size;
  /** What the turn will take. Default: its tokens. */
  readonly tokens?: (turn: Turn) => number;
}

/** Keeps what must stay and the newest of the other turns, up to the first that does not fit; drops the rest. Pure. */
export function keepNewest(turns: readonly Turn[], budget: Budget, newest: Newest): Verdict[] {
  const { note, bound, tokens: tokensOf = (turn) => turn.tokens } = newest;
  const verdicts: Verdict[] = turns.map((turn) => (turn.kept ? 'keep' : 'drop'));
  let messages = note === undefined ? 0 : 1;
  let tokens = budget.reserve + Math.min(budget.note, note ?? 0);
  for (const turn of turns) {
    if (!turn.kept) continue;
    messages += turn.messages;
    tokens += tokensOf(turn);
  }
  for (let i = turns.length - 1; i >= 0; i--) {
    const turn = turns[i] as Turn;
    if (turn.kept) continue;
    messages += turn.messages;
    tokens += tokensOf(turn);
    if (exceeds({ messages, tokens }, bound(turn))) break;
    verdicts[i] = 'keep';
  }
  return verdicts;
}
