import { HoldfastError } from '../errors.ts';
import type { Known } from '../history/memory.ts';
import type { Budget } from '../size/budget.ts';
import { addLoads, type Calibration, NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { FoldEntry } from '../state/state.ts';
import type { Piece } from '../view/view-turn.ts';

/** Share of the budget that pins may take. */
const QUOTA = 0.5;

/** True if a pinned message is in this piece. */
export function isPinned<M>({ from, messages }: Piece<M>, pins: readonly number[]): boolean {
  for (const index of pins) if (from <= index && index < from + messages.length) return true;
  return false;
}

/** Throws BAD_PIN if redoing this fold would touch a pinned message. */
export function checkRedo({ covered, kept }: FoldEntry, pins: readonly number[]): void {
  const stands = (pin: number) =>
    kept.some(({ from, count, cuts = [] }) => from <= pin && pin < from + count && !cuts.some(({ at }) => at === pin));
  const lost = pins.find((pin) => pin < covered && !stands(pin));
  if (lost !== undefined) throw badPin(lost, 'is pinned, but the fold to redo removes it: unpin it first');
}

/** Throws BAD_PIN if new messages that were pinned in advance exceed the quota. */
export function checkArrived<M>(known: Known<M>, before: number, budget: Budget, calibration: Calibration): void {
  const arrived = known.pins.find((pin) => pin >= before && pin < known.seen);
  if (arrived !== undefined) checkQuota(known, known.pins, arrived, budget, calibration);
}

/** The pins with one more. Throws BAD_PIN if the index is invalid, the message is folded away, or pins exceed their quota. */
export function withPin<M>(
  known: Known<M>,
  index: number,
  budget: Budget,
  calibration: Calibration,
): readonly number[] {
  if (!Number.isInteger(index) || index < 0)
    throw badPin(index, 'is not an index of the history: expected a whole number, 0 or more');
  if (known.pins.includes(index)) return known.pins;
  const pins = [...known.pins, index].sort((a, b) => a - b);
  if (index >= known.seen) return pins;
  const { pieces } = known.view;
  const piece = pieces.find((one) => isPinned(one, [index]));
  if (!piece || piece.cuts.some(({ at }) => at === index))
    throw badPin(index, 'is folded away: undo() that fold first, or recall the message and send it again');
  checkQuota(known, pins, index, budget, calibration);
  return pins;
}

function checkQuota<M>(
  { view }: Known<M>,
  pins: readonly number[],
  index: number,
  budget: Budget,
  calibration: Calibration,
): void {
  const load = addLoads(
    NO_LOAD,
    view.pieces.filter((one) => isPinned(one, pins)),
  );
  const tokens = tokensOf(load, calibration);
  const quota = {
    messages: budget.max.messages * QUOTA,
    tokens: Math.floor((budget.max.tokens - budget.reserve) * QUOTA),
  };
  if (load.messages <= quota.messages && tokens <= quota.tokens) return;
  const wrong = `would raise pins to ${tokens} tokens and ${load.messages} messages, over half of the budget (${quota.tokens} and ${quota.messages}): unpin others, or raise max_tokens or max_messages`;
  throw badPin(index, wrong, { tokens, messages: load.messages, quota });
}

function badPin(index: number, wrong: string, details: Readonly<Record<string, unknown>> = {}): HoldfastError {
  return new HoldfastError('BAD_PIN', `message ${String(index)} ${wrong}`, { index, ...details });
}
