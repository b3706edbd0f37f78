import { HoldfastError } from '../errors.ts';
import type { Budget, Size } from '../size/budget.ts';
import type { Judgement, NoteKind, Strategy, Turn, Verdict } from '../strategy.ts';

/** Of two verdicts the severer wins, of two notes the one that tells more. */
export const SEVERITY: Readonly<Record<Verdict, number>> = { keep: 0, mask: 1, drop: 2 };
export const WEIGHT: Readonly<Record<NoteKind, number>> = { none: 0, marker: 1, digest: 2, summary: 3 };

/** True if one of the strategies wants a fold. Throws BAD_CONFIG for an answer that is none. */
export function isDue(strategies: readonly Strategy[], size: Size, budget: Budget): boolean {
  return strategies.some((strategy) => {
    const answer: unknown = strategy.due({ ...size }, copyOf(budget));
    if (typeof answer === 'object') throw badAnswer(strategy, 'due() must give true or false, at once');
    return answer;
  });
}

/** What a strategy judges. It may be anybody's: it is given copies, and what it answers is checked. Throws BAD_CONFIG. */
export function judged(strategy: Strategy, turns: readonly Turn[], budget: Budget): Judgement {
  const answer = strategy.judge([...turns], copyOf(budget));
  const {
    verdicts,
    note,
    note_place: place = 'head',
    mask_chars: chars = 0,
    wording,
    spare = [],
    excerpts = [],
  } = answer ?? {};
  const sound = {
    verdicts: Array.isArray(verdicts) && verdicts.length === turns.length && isVerdicts(verdicts),
    note: Object.hasOwn(WEIGHT, note),
    note_place: place === 'head' || place === 'newest',
    mask_chars: Number.isInteger(chars) && chars >= 0,
    spare: isLists(spare),
    excerpts: isLists(excerpts),
    wording: Object.values(wording ?? {}).every((text) => typeof text === 'string'),
  };
  const wrong = Object.entries(sound).find(([, is]) => !is);
  if (!wrong) return answer;
  throw badAnswer(strategy, `judge() must give ${wrong[0]} as Judgement has them, for ${turns.length} turns`);
}

/** No gaps, which a list's own `every` would skip. */
function isVerdicts(verdicts: readonly unknown[]): boolean {
  for (const verdict of verdicts) if (!Object.hasOwn(SEVERITY, verdict as Verdict)) return false;
  return true;
}

function isLists(lists: unknown): boolean {
  return Array.isArray(lists) && lists.every(Array.isArray);
}

function copyOf(budget: Budget): Budget {
  const { max, target, history, rates } = budget;
  return { ...budget, max: { ...max }, target: { ...target }, history: { ...history }, rates: { ...rates } };
}

function badAnswer({ name = 'custom' }: Strategy, wrong: string): HoldfastError {
  return new HoldfastError('BAD_CONFIG', `strategy ${name}: ${wrong}`, { key: 'strategy' });
}
