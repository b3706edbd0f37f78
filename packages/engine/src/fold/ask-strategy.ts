import { badAnswer } from '../errors.ts';
import { fileFacts } from '../note/files.ts';
import { type Budget, copyBudget } from '../size/budget.ts';
import type { Judgement, NoteKind, NotePlace, Strategy, Turn, Verdict, Wording } from '../strategy.ts';
import { excerptsOf } from '../view/excerpt.ts';
import type { Repeats } from '../view/mask.ts';
import { wholeView } from '../view/view.ts';
import { latestFrom, type Shown, type ViewTurn } from '../view/view-turn.ts';
import { focusOf, focusWords } from './focus.ts';
import type { FoldInput, FoldTurn } from './fold-turn.ts';
import { JudgedTurn, type Measure } from './judged-turn.ts';
import { onFirstUse } from './on-first-use.ts';

/** The severer of two verdicts wins, and of two notes the one that says more. */
const SEVERITY: Readonly<Record<Verdict, number>> = { keep: 0, mask: 1, drop: 2 };
const WEIGHT: Readonly<Record<NoteKind, number>> = {
  none: 0,
  changes: 1,
  marker: 2,
  digest: 3,
  summary: 4,
};

export const MASK_CHARS = 400;
/** Shorter results are not worth a comparison. */
const REPEATED_CHARS = 400;

/** True for a note that holds the digest. */
export function hasDigest(note: NoteKind): boolean {
  return WEIGHT[note] >= WEIGHT.digest;
}

/** What all strategies together decided. */
export interface Decision {
  /** For each turn. */
  readonly verdicts: readonly Verdict[];
  /** What a mask shows of the turn at this place. */
  readonly shown: (place: number) => Shown;
  readonly note: NoteKind;
  readonly place: NotePlace;
  readonly maskChars: number;
  readonly wording: Wording;
}

/** Asks each strategy for its judgement and combines their answers. Throws BAD_CONFIG for an invalid answer. */
export function askStrategies<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[]): Decision {
  const { budget, dialect, strategies, calibration, view, digest } = input;
  // Read when a strategy first asks for it: one that keeps the newest asks for nothing.
  const near = onFirstUse(() => withinReach(wholeView(view).turns, budget));
  const newest = onFirstUse(() => newestResults(near()));
  const repeats: Repeats = (content, id) => {
    const later = typeof content === 'string' ? newest().get(content) : undefined;
    return later === id ? undefined : later;
  };
  const runs = excerptsOf(dialect, near);
  const files = onFirstUse(() => fileFacts(dialect, near(), digest));
  const judged = turnsFor(input, turns, { calibration, repeats, excerpts: runs, files });
  const answers = strategies.map((strategy) => judgementOf(strategy, judged, budget));
  const shown = (place: number): Shown => {
    const masks = answers.filter((answer) => answer.verdicts[place] === 'mask');
    const spare = common(masks.map((answer) => answer.spare?.[place]));
    const excerpts = common(masks.map((answer) => answer.excerpts?.[place]));
    const shortArguments = masks.length > 0 && masks.every((answer) => answer.short_arguments?.[place]);
    return { repeats, spare, excerpts, runs, shortArguments };
  };
  const chars = answers.flatMap(({ mask_chars: own = [] }) => own);
  return {
    verdicts: answers.map(({ verdicts }) => verdicts).reduce(severer),
    shown,
    note: most(WEIGHT, [input.summarize ? 'summary' : 'none', ...answers.map(({ note }) => note)]),
    place: answers.findLast(({ note_place: place }) => place)?.note_place ?? 'head',
    maskChars: chars.length > 0 ? Math.min(...chars) : MASK_CHARS,
    wording: Object.assign({}, ...answers.map(({ wording }) => wording)),
  };
}

function severer(first: readonly Verdict[], next: readonly Verdict[]): readonly Verdict[] {
  return next.map((verdict, i) => most(SEVERITY, [first[i] as Verdict, verdict]));
}

function most<K extends string>(ranks: Readonly<Record<K, number>>, all: readonly K[]): K {
  return all.reduce((first, next) => (ranks[next] > ranks[first] ? next : first));
}

/** What all lists hold, in the order of the first. */
function common([first = [], ...others]: readonly (readonly number[] | undefined)[]): readonly number[] {
  return first.filter((result) => others.every((other) => other?.includes(result)));
}

/** The turns as strategies see them. */
function turnsFor<M>(input: FoldInput<M>, turns: readonly FoldTurn<M>[], measure: Measure): Turn[] {
  const { budget, dialect, seen, focus = '' } = input;
  const { turns: all } = input.view;
  const words = focusWords(focus);
  const latest = all[latestFrom(all)]?.from ?? 0;
  return turns.map(({ before, floor, newest, yields, unseen, head }) => {
    const recent = before.from + before.messages.length > seen - budget.preserve_last_n;
    const place = { kept: newest || (floor && !yields) || unseen || head, recent, latest: before.from >= latest };
    return new JudgedTurn(before, measure, place, focusOf(dialect, before, words));
  });
}

/** As many of the newest turns as the budget holds, because older ones will not stay in any form; and the user's first words. */
function withinReach<M>(turns: readonly ViewTurn<M>[], { max, rates }: Budget): readonly ViewTurn<M>[] {
  const oldest = Math.max(0, turns.length - max.messages);
  let chars = 0;
  let i = turns.length;
  const first = turns.find((turn) => turn.asks);
  while (i > oldest && chars * rates.character <= max.tokens) chars += turns[--i]?.load.chars ?? 0;
  return turns.filter((turn, at) => at >= i || turn === first);
}

/** Each result that is worth a comparison, and the newest call that brought it. */
function newestResults<M>(turns: readonly ViewTurn<M>[]): ReadonlyMap<string, string> {
  const newest = new Map<string, string>();
  for (const { readings } of turns.toReversed())
    for (const { results } of readings)
      for (const { id, content } of results)
        if (typeof content === 'string' && content.length > REPEATED_CHARS && !newest.has(content))
          newest.set(content, id);
  return newest;
}

/** One strategy's judgement. Its code may be anybody's: it gets copies, and its answer is checked. Throws BAD_CONFIG. */
function judgementOf(strategy: Strategy, turns: readonly Turn[], budget: Budget): Judgement {
  const answer = strategy.judge([...turns], copyBudget(budget));
  const { verdicts, note, note_place = 'head', mask_chars = 0, wording, spare = [], excerpts = [] } = answer ?? {};
  const sound = {
    verdicts: Array.isArray(verdicts) && verdicts.length === turns.length && isVerdicts(verdicts),
    note: Object.hasOwn(WEIGHT, note),
    note_place: note_place === 'head' || note_place === 'newest',
    mask_chars: Number.isInteger(mask_chars) && mask_chars >= 0,
    spare: isLists(spare),
    excerpts: isLists(excerpts),
    wording: Object.values(wording ?? {}).every((text) => typeof text === 'string'),
  };
  const wrong = Object.entries(sound).find(([, is]) => !is);
  if (!wrong) return answer;
  throw badAnswer(
    strategy.name,
    `judge() returned an invalid ${wrong[0]} for ${turns.length} turns: see the type Judgement`,
  );
}

/** No gaps, which a list's own `every` would skip. */
function isVerdicts(verdicts: readonly unknown[]): boolean {
  for (const verdict of verdicts) if (!Object.hasOwn(SEVERITY, verdict as Verdict)) return false;
  return true;
}

function isLists(lists: unknown): boolean {
  return Array.isArray(lists) && lists.every(Array.isArray);
}
