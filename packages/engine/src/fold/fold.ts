import { isChanged } from '../note/ledger.ts';
import { tokensOf } from '../size/tokens.ts';
import type { NoteKind } from '../strategy.ts';
import { isTooMuch, wholeView } from '../view/view.ts';
import { maskTurn, previewWords } from '../view/view-turn.ts';
import { askStrategies, type Decision, hasDigest, MASK_CHARS } from './ask-strategy.ts';
import { assemble, changesOf, cutOnly, type FoldOutput, trimOnly } from './assemble.ts';
import { cutNewest } from './cut-newest.ts';
import { approach, enforce } from './enforce.ts';
import { overBudget } from './floor.ts';
import { type FoldInput, type FoldTurn, foldTurns } from './fold-turn.ts';
import { dropMisplaced, keepBeside } from './neighbors.ts';
import { restoreRecalled } from './restore-recalled.ts';

/**
 * Makes one fold. Each step changes what has become of the turns (`now`), so the order of steps is the algorithm. Pure.
 * Undefined if nothing would change. Throws OVER_BUDGET if the floor alone is too large.
 */
export function foldView<M>(input: FoldInput<M>): FoldOutput<M> | undefined {
  const { dialect, goal, load, budget, calibration } = input;
  const aimed = goal ? { ...input, budget: goal.budget } : input;

  // 1. Every turn starts as it is, with what protects it.
  const turns = foldTurns(input);

  // 2. If only the newest results cannot stay whole, cut those: the rest stays as sent, and in the provider's cache.
  if (!input.trims && cutNewest(input, turns)) return cutOnly(input, turns);

  // 3. Strategies judge the turns; their verdicts are enacted, except on what is protected.
  const asked = askStrategies(aimed, turns);
  // A digest tells of everything that goes, however distant.
  if (input.view.distant && hasDigest(asked.note)) return foldView({ ...input, view: wholeView(input.view) });
  enactVerdicts(input, turns, asked);
  if (input.trims) return trimOnly(input, turns);

  // A note that only tells of changed files needs one that was changed.
  const decision = asked.note === 'changes' ? { ...asked, note: noteOfChanges(input, turns) } : asked;

  // 4. The user's own words come back, up to their share.
  restoreWords(aimed, turns);

  // 5. What the model has just recalled comes back.
  if (!input.compacts) restoreRecalled(input, turns, decision);

  // 6. `compact()` continues down to its goal.
  const chars = Math.min(decision.maskChars, MASK_CHARS);
  if (goal) approach(input, goal, turns, chars, decision.note);

  // 7. What a turn that stays needs beside it stays with it.
  const isNoted = decision.note !== 'none';
  const gap = keepBeside(dialect, turns, isNoted, (turn) => maskTurn(input, turn, chars));

  // 8. Whatever was judged, the budget is kept.
  const isOver = isTooMuch(dialect, load, budget, calibration);
  const floor = enforce(input, turns, chars, isNoted || gap !== undefined);
  if (floor && isOver) throw overBudget(input, turns, floor);

  // 9. A turn goes if what now follows it may not.
  dropMisplaced(dialect, turns, isNoted);

  // 10. What was hidden goes into the digest, and the note speaks for it.
  const isUnchanged = turns.every(({ before, now }) => now === before);
  return !isOver && (isUnchanged || floor) ? undefined : assemble(input, turns, decision, gap);
}

/** A marker if a file was changed in what is gone by now, otherwise no note. */
function noteOfChanges<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): NoteKind {
  return changesOf(input, turns).files.some(isChanged) ? 'marker' : 'none';
}

/** Masks and drops as the strategies decided, as far as each turn's protection allows. */
function enactVerdicts<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[], decision: Decision): void {
  const { verdicts, shown, maskChars, wording } = decision;
  turns.forEach((turn, place) => {
    const verdict = verdicts[place];
    const isMasked = verdict === 'mask' || (verdict === 'drop' && (turn.aside || turn.yields));
    if (isMasked && (turn.yields || !turn.floor))
      turn.now = maskTurn({ ...input, wording }, turn.before, maskChars, shown(place));
    else if (verdict === 'drop' && !turn.floor) turn.now = undefined;
    // An instruction for which there is no room shows how it starts, unless the budget has no room for that either.
    if (turn.crowded.length > 0)
      turn.now = previewWords(input, turn.now ?? turn.before, (at) => turn.crowded.includes(at));
  });
}

/** Share of the target that the user's words keep, word for word and then as previews, the newest first (decision 36). */
const WORDS_SHARE = 0.3;

/** The user's own words outlive a strategy's verdict up to their share; beyond it, the oldest are shortened behind handles. */
function restoreWords<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): void {
  const { budget, calibration } = input;
  const room = (budget.target.tokens - budget.reserve) * WORDS_SHARE;
  let tokens = 0;
  let messages = 0;
  for (const turn of turns.toReversed()) {
    if (turn.floor || turn.aside || !turn.before.words || turn.before.role === 'system') continue;
    messages += turn.before.messages.length;
    if (messages > budget.target.messages / 4) return;
    const whole = turn.before.asks ? turn.before : (turn.now ?? maskTurn(input, turn.before, 0));
    // What a strategy keeps it has paid for.
    const fits = turn.now === whole || tokens + tokensOf(whole.load, calibration) <= room;
    const stays = fits ? whole : previewWords(input, turn.before);
    if (!fits && (tokens >= room || stays === turn.before)) return;
    turn.now = stays;
    tokens += tokensOf(stays.load, calibration);
  }
}
