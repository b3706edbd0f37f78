import { HoldfastError } from '../errors.ts';
import type { Budget, Size } from '../size/budget.ts';
import { addLoads, type Calibration, NO_LOAD, tokensOf } from '../size/tokens.ts';
import type { FoldEntry } from '../state/state.ts';
import type { View } from '../view/view.ts';
import type { ViewTurn } from '../view/view-turn.ts';

/** Share of the budget that pins may take, and instructions together with them. */
const QUOTA = 0.5;

/** The most that pins and instructions may take together. */
export function quotaOf({ max, reserve }: Budget): Size {
  return { messages: max.messages * QUOTA, tokens: Math.floor((max.tokens - reserve) * QUOTA) };
}

/** True if a pinned message is in this turn. */
export function isPinned<M>({ from, messages }: ViewTurn<M>, pins: readonly number[]): boolean {
  for (const index of pins) if (from <= index && index < from + messages.length) return true;
  return false;
}

interface Pinned<M> {
  readonly view: View<M>;
  readonly pins: readonly number[];
  /** Messages of the history that the view represents. */
  readonly seen: number;
}

/** Throws BAD_PIN if this fold, which is to be redone, touches a pinned message. */
export function checkRedo({ covered, kept }: FoldEntry, pins: readonly number[]): void {
  const stands = (pin: number) =>
    kept.some(({ from, count, cuts = [] }) => from <= pin && pin < from + count && !cuts.some(({ at }) => at === pin));
  const lost = pins.find((pin) => pin < covered && !stands(pin));
  if (lost !== undefined) throw badPin(lost, 'is pinned, but the fold to redo removes it: unpin it first');
}

/** Throws BAD_PIN if new messages that were pinned in advance exceed the quota. */
export function checkArrived<M>(pinned: Pinned<M>, before: number, budget: Budget, calibration: Calibration): void {
  const arrived = pinned.pins.find((pin) => pin >= before && pin < pinned.seen);
  if (arrived !== undefined) checkQuota(pinned, pinned.pins, arrived, budget, calibration);
}

/** The pins with one more. Throws BAD_PIN if the index is invalid, the message is folded away, or pins exceed their quota. */
export function withPin<M>(
  pinned: Pinned<M>,
  index: number,
  budget: Budget,
  calibration: Calibration,
): readonly number[] {
  if (!Number.isInteger(index) || index < 0)
    throw badPin(index, 'is not an index of the history: expected a whole number, 0 or more');
  if (pinned.pins.includes(index)) return pinned.pins;
  const pins = [...pinned.pins, index].sort((a, b) => a - b);
  if (index >= pinned.seen) return pins;
  const { turns } = pinned.view;
  const turn = turns.find((one) => isPinned(one, [index]));
  if (!turn || turn.cuts.some(({ at }) => at === index))
    throw badPin(index, 'is folded away: undo() that fold first, or recall the message and send it again');
  checkQuota(pinned, pins, index, budget, calibration);
  return pins;
}

function checkQuota<M>(
  { view }: Pinned<M>,
  pins: readonly number[],
  index: number,
  budget: Budget,
  calibration: Calibration,
): void {
  const held = view.turns.filter((one) => isPinned(one, pins));
  const load = addLoads(NO_LOAD, held);
  const tokens = tokensOf(load, calibration);
  const quota = quotaOf(budget);
  if (load.messages <= quota.messages && tokens <= quota.tokens) return;
  const wrong = `would raise pins to ${tokens} tokens and ${load.messages} messages, over half of the budget (${quota.tokens} and ${quota.messages}): unpin others, or raise max_tokens or max_messages`;
  throw badPin(index, wrong, { tokens, messages: load.messages, quota });
}

function badPin(index: number, wrong: string, details: Readonly<Record<string, unknown>> = {}): HoldfastError {
  return new HoldfastError('BAD_PIN', `message ${String(index)} ${wrong}`, { index, ...details });
}
