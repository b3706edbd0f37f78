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
/** Of remarks that share a word, so many are compared with an older one: those of one huge message may all do. */
const MOST_COMPARED = 50;
const NUMBER = /^[\d.,%]+$/;
const PLAIN = /^\p{Ll}+$/u;

/** A remark, and the words that tell what it is about; names as they are written. */
type Compared = readonly [remark: Remark, words: ReadonlySet<string>];

/**
 * The same remarks without those of the assistant that a newer one says again in almost the same words; of announced steps, only
 * those of the newest message keep their weight. Names tell sentences apart, numbers do not: the newest counts. Pure.
 */
export function saidOnce<T extends Sections>(sections: T, isStep: (statement: string) => boolean): T {
  const uses = new Map<string, number>();
  const all = STATEMENTS.flatMap((section) => sections[section])
    .sort((a, b) => b[1] - a[1])
    .map((remark): Compared => [remark, tellingWords(remark[0])]);
  for (const [, words] of all) for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  const left = new Set<Remark>();
  const byWord = new Map<string, Compared[]>();
  for (const one of all) {
    const [remark, words] = one;
    if (words.size >= LEAST_WORDS && candidates(one, byWord).some((newer) => repeats(newer, one, uses))) continue;
    left.add(remark);
    for (const word of words) {
      const others = byWord.get(word);
      if (others) others.push(one);
      else byWord.set(word, [one]);
    }
  }
  const steps = new Set(sections.open.filter(([text]) => isStep(text)));
  const newest = [...steps].reduce((last, [, at]) => Math.max(last, at), 0);
  const weighed = (remark: Remark): Remark =>
    remark[1] < newest && steps.has(remark) ? [remark[0], remark[1], SUPERSEDED_WEIGHT] : remark;
  const once = STATEMENTS.map((section) => [section, sections[section].filter((one) => left.has(one)).map(weighed)]);
  return { ...sections, ...Object.fromEntries(once) };
}

/** The newer remarks that may repeat this one: they have a name of it, or one of its rarest words, as few may be left out. */
function candidates([, older]: Compared, byWord: ReadonlyMap<string, readonly Compared[]>): readonly Compared[] {
  const lists = [...older]
    .map((word) => ({ name: !PLAIN.test(word), having: byWord.get(word) ?? [] }))
    .sort((a, b) => Number(b.name) - Number(a.name) || a.having.length - b.having.length);
  const least = lists[0]?.name ? 1 : 1 + Math.floor(LEFT_OUT * older.size);
  return lists.slice(0, least).flatMap(({ having }) => having.slice(-MOST_COMPARED));
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
