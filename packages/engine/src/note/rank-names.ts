import { ownText } from '../quoting/slice.ts';
import type { NameFact } from './digest.ts';
import { isId } from './values.ts';

/** Most names that one fold passes to the next. No measurement supports the figure. */
const KEPT_NAMES = 320;

/** The words around a value, and the index of their message. */
export type Meaning = readonly [text: string, at: number];

/** A name during counting. */
export interface Name {
  readonly name: string;
  readonly kind: NameFact[1];
  uses: number;
  mentions: number;
  last: number;
  argued: 0 | 1;
  meaning: Meaning | undefined;
  score: number;
}

/** The names that are most likely needed again, the best first; `edge` is the length of the history, `meaningOf` finds the words around a value. */
export function bestNames(
  all: Iterable<Name>,
  edge: number,
  meaningOf: (name: string) => Meaning | undefined,
): NameFact[] {
  const names = [...all];
  // There are thousands: only those that will stay are sorted.
  const scores = new Float64Array(names.length);
  names.forEach((one, i) => {
    one.score = rank(one, edge);
    scores[i] = one.score;
  });
  const least = scores.sort().at(-KEPT_NAMES) ?? Number.NEGATIVE_INFINITY;
  return names
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, KEPT_NAMES)
    .map(({ name, kind, uses, mentions, last, argued, meaning }): NameFact => {
      const fact = [ownText(name), kind, uses, mentions, last, argued] as const;
      const explained = isId(name, kind) && (kind !== 'name' || mentions > 1);
      const words = explained ? (meaningOf(name) ?? meaning) : undefined;
      return words === undefined ? fact : [...fact, ownText(words[0]), words[1]];
    });
}

/**
 * How likely a name is needed again for the room it takes: used by calls, last used by a call, mentioned often, recent, short.
 * The weights are fitted on recorded conversations: which names did calls need after a fold had removed them?
 */
function rank({ name, kind, uses, mentions, last, argued }: Name, edge: number): number {
  const rare = kind === 'number' ? 2.5 : kind === 'hash' ? 1.5 : 0;
  const age = edge - last;
  const likely = 4 * Math.log2(1 + uses) + 1.2 * Math.log2(1 + mentions) + 4 * argued + 1.5 * Math.exp(-age / 60);
  return likely - 0.015 * age - 0.11 * name.length - rare;
}
