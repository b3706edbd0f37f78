import type { Budget, Size } from '../size/budget.ts';
import { type Calibration, type Load, tokensOf } from '../size/tokens.ts';
import { type Eras, runHandles } from '../state/archive.ts';
import type { Strategy, Verdict } from '../strategy.ts';
import { noteLoad, sizeOf, type View, viewLoad } from '../view/view.ts';
import { type FoldTurn, verdictOf } from './fold-turn.ts';

/** What a fold did to one turn. */
export interface ReceiptTurn {
  /** Places in the history of its first and last message. */
  readonly from: number;
  readonly to: number;
  readonly verdict: Verdict;
  readonly tokens: { readonly before: number; readonly after: number };
  /** Brings the turn back; a turn that stands as it was needs none. */
  readonly handle?: string;
}

/** What a fold did, turn by turn, and where to get each thing back. */
export interface Receipt {
  /** Which fold of this conversation it is, from 1; 0 if there was nothing to fold. */
  readonly fold: number;
  readonly reason: 'messages' | 'tokens' | 'limits' | 'strategy' | 'compact' | 'undo' | 'redo';
  readonly strategy: string;
  readonly before: Size;
  readonly after: Size;
  /** True while token figures are estimates: nothing was observed yet. */
  readonly estimated: boolean;
  /** How many turns. */
  readonly kept: number;
  readonly masked: number;
  readonly dropped: number;
  /** Every turn that stood in the view before the fold; none for an undo or redo. */
  readonly turns: readonly ReceiptTurn[];
  /** The note's text, if there is one. */
  readonly note?: string;
  readonly note_tokens: number;
  /** The model's summary in it, if there is one, in full. */
  readonly summary?: string;
  /** Of `compact()`: why it could not go well below the size before. */
  readonly why?: string;
  /** Tokens of the note that stood there before the fold. */
  readonly previous_note_tokens: number;
  /** Tokens beside the messages; with the turns and the note they make up the sizes, each rounded up by itself. */
  readonly reserve: number;
  /** First position of the view that the fold changed: the provider's cache holds up to there. */
  readonly changed_from: number;
}

export interface ReceiptInput<M> {
  readonly fold: number;
  readonly reason: Receipt['reason'];
  readonly strategies: readonly Strategy[];
  readonly before: { readonly view: View<M>; readonly load: Load };
  readonly after: View<M>;
  readonly folded: readonly FoldTurn<M>[];
  readonly changedFrom: number;
  readonly budget: Budget;
  readonly calibration: Calibration;
  readonly eras: Eras;
  readonly summary?: string;
}

export function makeReceipt<M>(input: ReceiptInput<M>): Receipt {
  const { after, budget, calibration, eras } = input;
  const { folded } = input;
  const figures = new Float64Array(folded.length * FIGURES);
  let kept = 0;
  let dropped = 0;
  for (let i = 0; i < folded.length; i++) {
    const turn = folded[i] as FoldTurn<M>;
    const { before, now } = turn;
    const verdict = verdictOf(turn);
    if (verdict === 'keep') kept++;
    else if (verdict === 'drop') dropped++;
    const tokens = tokensOf(before.load, calibration);
    const at = i * FIGURES;
    figures[at] = before.from;
    figures[at + 1] = before.messages.length;
    figures[at + 2] = verdict === 'keep' ? 0 : verdict === 'mask' ? 1 : 2;
    figures[at + 3] = tokens;
    figures[at + 4] = now === before ? tokens : now ? tokensOf(now.load, calibration) : 0;
    figures[at + 5] = now === before ? 0 : 1;
  }
  let turns: readonly ReceiptTurn[] | undefined;
  return {
    fold: input.fold,
    reason: input.reason,
    strategy: input.strategies.map(({ name }) => name ?? 'custom').join('+'),
    before: sizeOf(input.before.load, budget, calibration),
    after: sizeOf(viewLoad(after), budget, calibration),
    estimated: calibration.last === undefined,
    kept,
    masked: folded.length - kept - dropped,
    dropped,
    get turns() {
      turns ??= turnsOf(figures, eras);
      return turns;
    },
    ...(after.note ? { note: after.note.text } : {}),
    note_tokens: tokensOf(noteLoad(after.note), calibration),
    previous_note_tokens: tokensOf(noteLoad(input.before.view.note), calibration),
    ...(input.summary ? { summary: input.summary } : {}),
    reserve: budget.reserve,
    changed_from: input.changedFrom,
  };
}

const VERDICTS: readonly Verdict[] = ['keep', 'mask', 'drop'];
/** From, length, verdict, tokens before and after, whether it changed. */
const FIGURES = 6;

/** The turns from their figures: a cold start folds thousands of turns, and few callers read what became of each. */
function turnsOf(figures: Float64Array, eras: Eras): ReceiptTurn[] {
  const turns: ReceiptTurn[] = [];
  for (let i = 0; i < figures.length; i += FIGURES) {
    const [from = 0, length = 0, verdict = 0, before = 0, after = 0, changed = 0] = figures.subarray(i, i + FIGURES);
    const to = from + length - 1;
    const turn = { from, to, verdict: VERDICTS[verdict] ?? 'keep', tokens: { before, after } };
    turns.push(changed ? { ...turn, handle: runHandles(from, to, eras).join(', ') } : turn);
  }
  return turns;
}
