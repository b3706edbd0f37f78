import { runHandles } from '../handles/handles.ts';
import type { Budget, Size } from '../size/budget.ts';
import { type Calibration, NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { Summary } from '../state/state.ts';
import type { Strategy, Verdict } from '../strategy.ts';
import type { DistantTurn } from '../view/distant.ts';
import { noteLoad, sizeOf, viewLoad } from '../view/view.ts';
import type { FoldOutput } from './assemble.ts';
import { type FoldInput, verdictOf } from './fold-turn.ts';

/** What a fold did to one turn. */
export interface ReceiptTurn {
  /** Places in the history of its first and last message. */
  readonly from: number;
  readonly to: number;
  readonly verdict: Verdict;
  readonly tokens: { readonly before: number; readonly after: number };
  /** Recalls the turn; undefined if it did not change. */
  readonly handle?: string;
  /** The reminder that the message at this place had, and whether it still has it. */
  readonly reminder?: { readonly at: number; readonly tokens: number; readonly kept: boolean };
}

/** What a fold did, turn by turn, with the handle to get each thing back. */
export interface Receipt {
  /** The number of this fold in the conversation, from 1; 0 if there was nothing to fold. */
  readonly fold: number;
  readonly reason: 'messages' | 'tokens' | 'limits' | 'strategy' | 'compact' | 'undo' | 'redo';
  readonly strategy: string;
  readonly before: Size;
  readonly after: Size;
  /** True while token counts are estimates, because no usage was observed yet. */
  readonly estimated: boolean;
  /** Numbers of turns. */
  readonly kept: number;
  readonly masked: number;
  readonly dropped: number;
  /** Every turn that was in the view before the fold; empty for an undo or redo. */
  readonly turns: readonly ReceiptTurn[];
  /** The note's text, if there is one. */
  readonly note?: string;
  readonly noteTokens: number;
  /** The model's summary in full, if the note has one. */
  readonly summary?: string;
  /** For `compact()`: why it saved little or nothing. */
  readonly why?: string;
  /** Tokens of the previous note. */
  readonly previousNoteTokens: number;
  /** Tokens of overhead (system prompt, tools); with turns and note they add up to the sizes, each rounded up. */
  readonly reserve: number;
  /** First position of the view that the fold changed: everything before it stays in the provider's cache. */
  readonly changedFrom: number;
}

type Row = readonly [
  from: number,
  messages: number,
  verdict: Verdict,
  before: number,
  after: number,
  isChanged: boolean,
  reminder?: ReceiptTurn['reminder'],
];

function distantRow(turn: DistantTurn, calibration: Calibration): Row {
  return [turn.from, turn.messages, 'drop', tokensOf(turn, calibration), 0, true];
}

/** What changed the view: a fold, an undo or a redo. */
type Change<M> = Pick<FoldOutput<M>, 'view' | 'turns' | 'changedFrom'> &
  Partial<FoldOutput<M>> & { readonly summary?: Summary; readonly trims?: true };

/** The strategies that cut results once they have left the last exchange. */
export function trimmers(strategies: readonly Strategy[]): readonly Strategy[] {
  return strategies.filter(({ trim_chars }) => trim_chars !== undefined);
}

/** The receipt of a change of a view, after this many folds. */
export function makeReceipt<M>(
  core: Pick<FoldInput<M>, 'strategies' | 'calibration'>,
  before: Pick<FoldInput<M>, 'view' | 'load' | 'revisions'> & { readonly folds: number },
  budget: Budget,
  change: Change<M>,
  reason: Receipt['reason'],
): Receipt {
  const { calibration } = core;
  const { folds, revisions } = before;
  const { view: after, turns: folded, distant = [] } = change;
  const strategies = change.trims ? trimmers(core.strategies) : core.strategies;
  const isTravel = reason === 'undo' || reason === 'redo';
  const summary = change.kind === 'summary' ? change.summary?.text : undefined;
  // Only figures, or a receipt would keep the history alive; a cold start folds thousands of turns, and few callers read each.
  const rows = folded.map((turn): Row => {
    const { before, now } = turn;
    const tokens = tokensOf(before.load, calibration);
    const left = now === before ? tokens : now ? tokensOf(now.load, calibration) : 0;
    const reminder = before.reminder && {
      at: before.reminder.at,
      tokens: tokensOf({ ...NO_LOAD, chars: before.reminder.chars }, calibration),
      kept: now?.reminder !== undefined,
    };
    return [before.from, before.messages.length, verdictOf(turn), tokens, left, now !== before, reminder];
  });
  const count = (verdict: Verdict) => rows.filter((row) => row[2] === verdict).length;
  let turns: readonly ReceiptTurn[] | undefined;
  return {
    fold: isTravel ? folds : after === before.view ? 0 : folds + 1,
    reason,
    strategy: strategies.map(({ name }) => name ?? 'custom').join('+'),
    before: sizeOf(before.load, budget, calibration),
    after: sizeOf(viewLoad(after), budget, calibration),
    estimated: calibration.last === undefined,
    kept: count('keep'),
    masked: count('mask'),
    dropped: count('drop') + distant.length,
    get turns() {
      turns ??= [...rows, ...distant.map((turn) => distantRow(turn, calibration))]
        .sort(([one], [other]) => one - other)
        .map(([from, length, verdict, before, after, isChanged, reminder]) => {
          const to = from + length - 1;
          const turn = { from, to, verdict, tokens: { before, after }, ...(reminder ? { reminder } : {}) };
          return isChanged ? { ...turn, handle: runHandles(from, to, revisions).join(', ') } : turn;
        });
      return turns;
    },
    ...(after.note ? { note: after.note.text } : {}),
    noteTokens: tokensOf(noteLoad(after.note), calibration),
    previousNoteTokens: tokensOf(noteLoad(before.view.note), calibration),
    ...(summary ? { summary } : {}),
    reserve: budget.reserve,
    changedFrom: change.changedFrom,
  };
}
