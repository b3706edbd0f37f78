import { type Eras, handleOf } from './archive.ts';
import type { Budget, Size } from './budget.ts';
import { type Seat, verdictOf } from './fold.ts';
import type { Strategy, Verdict } from './strategy.ts';
import { type Calibration, type Load, tokensOf } from './tokens.ts';
import { noteLoad, sizeOf, type View, viewLoad } from './view.ts';

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
  readonly seats: readonly Seat<M>[];
  readonly changedFrom: number;
  readonly budget: Budget;
  readonly calibration: Calibration;
  readonly eras: Eras;
}

export function makeReceipt<M>(input: ReceiptInput<M>): Receipt {
  const { after, budget, calibration } = input;
  const turns = input.seats.map((seat) => receiptTurn(seat, calibration, input.eras));
  const count = { keep: 0, mask: 0, drop: 0 };
  for (const { verdict } of turns) count[verdict]++;
  return {
    fold: input.fold,
    reason: input.reason,
    strategy: input.strategies.map(({ name }) => name ?? 'custom').join('+'),
    before: sizeOf(input.before.load, budget, calibration),
    after: sizeOf(viewLoad(after), budget, calibration),
    estimated: calibration.last === undefined,
    kept: count.keep,
    masked: count.mask,
    dropped: count.drop,
    turns,
    ...(after.note ? { note: after.note.text } : {}),
    note_tokens: tokensOf(noteLoad(after.note), calibration),
    previous_note_tokens: tokensOf(noteLoad(input.before.view.note), calibration),
    reserve: budget.reserve,
    changed_from: input.changedFrom,
  };
}

function receiptTurn<M>(seat: Seat<M>, calibration: Calibration, eras: Eras): ReceiptTurn {
  const { before, now } = seat;
  const to = before.from + before.messages.length - 1;
  const { from } = before;
  const tokens = { before: tokensOf(before.load, calibration), after: now ? tokensOf(now.load, calibration) : 0 };
  const verdict = verdictOf(seat);
  if (now === before) return { from, to, verdict, tokens };
  const first = handleOf(from, eras);
  return { from, to, verdict, tokens, handle: from === to ? first : `${first}-${handleOf(to, eras)}` };
}
