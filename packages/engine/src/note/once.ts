import { isStep } from '../text/statements/statements.ts';
import { type Remark, type Section, STATEMENTS } from './digest.ts';

type Sections = Readonly<Record<Section, readonly Remark[]>>;

/** The weight of a step that a later one superseded: among the first to go. */
const SUPERSEDED_WEIGHT = 0.05;

/** True for a step that a later one superseded. */
export function isSuperseded([, , weight = 1]: Remark): boolean {
  return weight <= SUPERSEDED_WEIGHT;
}

const WORD = /[\p{L}\p{N}_][\p{L}\p{N}_./-]*[\p{L}\p{N}_]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Shorter words of lowercase letters say little. */
const TELLING_LETTERS = 5;
/** Sentences with fewer telling words are compared as they are. */
const LEAST_WORDS = 3;
/** How much of what an older sentence tells a newer one may leave out, in words that other sentences have, too. */
const LEFT_OUT = 0.3;
const NUMBER = /^[\d.,%]+$/;
const PLAIN = /^\p{Ll}+$/u;

/** A remark, and the words that tell what it is about; names as they are written. */
type Compared = readonly [remark: Remark, words: ReadonlySet<string>];

/**
 * The same remarks without those of the assistant that a newer one says again in almost the same words; of announced steps, only
 * those of the newest message keep their weight. Names tell sentences apart, numbers do not: the newest counts. Pure.
 */
export function saidOnce<T extends Sections>(sections: T): T {
  const uses = new Map<string, number>();
  const all = STATEMENTS.flatMap((section) => sections[section])
    .sort((a, b) => b[1] - a[1])
    .map((remark): Compared => [remark, tellingWords(remark[0])]);
  for (const [, words] of all) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  const kept: Compared[] = [];
  for (const one of all)
    if (one[1].size < LEAST_WORDS || !kept.some((newer) => repeats(newer, one, uses))) kept.push(one);
  const left = new Set(kept.map(([remark]) => remark));
  const steps = sections.open.filter(([text]) => isStep(text));
  const newest = Math.max(0, ...steps.map(([, at]) => at));
  const weighed = (remark: Remark): Remark =>
    remark[1] < newest && steps.includes(remark) ? [remark[0], remark[1], SUPERSEDED_WEIGHT] : remark;
  const once = STATEMENTS.map((section) => [section, sections[section].filter((one) => left.has(one)).map(weighed)]);
  return { ...sections, ...Object.fromEntries(once) };
}

function repeats([, newer]: Compared, [, older]: Compared, uses: ReadonlyMap<string, number>): boolean {
  let left = LEFT_OUT * older.size;
  for (const word of older) {
    if (newer.has(word)) continue;
    if (--left < 0 || !PLAIN.test(word) || (uses.get(word) ?? 0) < 2) return false;
  }
  return true;
}

function tellingWords(text: string): Set<string> {
  const words = new Set<string>();
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (NUMBER.test(word)) continue;
    const lower = index === 0 ? word.toLowerCase() : word;
    if (!PLAIN.test(lower) || lower.length >= TELLING_LETTERS) words.add(lower);
  }
  return words;
}
