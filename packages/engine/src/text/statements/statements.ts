import type { SignalKind, StatementKind } from './language.ts';
import { LANGUAGES } from './languages/index.ts';
import { Phrases } from './phrases.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { plain, type Words, wordsOf } from './words.ts';

export type { StatementKind } from './language.ts';

/** A sentence worth remembering, in the speaker's own words. */
export interface Statement {
  readonly kind: StatementKind;
  readonly text: string;
  /** How much it tells, from 0 to 1: to choose if there is too little room. */
  readonly weight: number;
}

type Speaker = 'user' | 'assistant';
type Meaning = { readonly kind: SignalKind; readonly sure: boolean } | 'verb' | 'progress' | 'small talk';

/** How much a kind tells. */
const KIND_WEIGHT: Readonly<Record<StatementKind, number>> = {
  rule: 0.5,
  correction: 0.5,
  preference: 0.45,
  decision: 0.45,
  cause: 0.45,
  failed: 0.45,
  finding: 0.35,
  fact: 0.35,
  open: 0.3,
  other: 0.2,
};
/** Kinds that a user states and an assistant rarely. */
const OF_USERS = new Set<StatementKind>(['rule', 'correction', 'preference', 'fact']);
/** A user's message up to this length is typed, not pasted: each sentence counts. */
const TYPED = 1_500;
/** A longer statement is cut around the phrase that made it one. */
const LONGEST = 400;
/** A sentence with fewer words belongs to its neighbour. */
const FRAGMENT_WORDS = 6;

const phrases = new Phrases<Meaning>();
const abbreviations = new Set<string>();
for (const { signals, verbs, progress, smallTalk, abbreviations: short } of LANGUAGES) {
  for (const [kind, [sure, maybe]] of Object.entries(signals) as [SignalKind, readonly [string, string]][]) {
    phrases.add(sure, { kind, sure: true });
    phrases.add(maybe, { kind, sure: false });
  }
  phrases.add(verbs, 'verb');
  phrases.add(progress, 'progress');
  phrases.add(smallTalk, 'small talk');
  for (const one of short.split('|')) abbreviations.add(one.trim());
}

/** What the phrases of a sentence say about it. */
interface Hints {
  readonly sentence: Sentence;
  readonly words: Words;
  readonly kinds: ReadonlyMap<SignalKind, number>;
  readonly verb: boolean;
  readonly progress: boolean;
  readonly smallTalk: boolean;
  /** Where the phrase with the most meaning starts. */
  readonly at: number;
  readonly question: boolean;
}

/**
 * The statements of a text, in order: sentences that decide, explain, forbid, correct, measure, fail or leave something open.
 * All sentences of a user's short message are statements. Pure; linear in the length of the text.
 */
export function statementsOf(text: string, by: Speaker): Statement[] {
  const typed = by === 'user' && text.length <= TYPED;
  const all = sentencesOf(text, (word) => abbreviations.has(word)).map(hintsOf);
  const statements: Statement[] = [];
  for (let i = 0; i < all.length; ) {
    const run = joined(all, i);
    i += run.length;
    const statement = judge(run, by, typed);
    if (statement) statements.push(statement);
  }
  return statements;
}

function hintsOf(sentence: Sentence): Hints {
  const words = wordsOf(sentence.text);
  const kinds = new Map<SignalKind, number>();
  let verb = false;
  let progress = false;
  let smallTalk = false;
  let at = 0;
  let best = 0;
  phrases.find(words.words, (meaning, start) => {
    if (meaning === 'verb') verb = true;
    else if (meaning === 'progress') progress = true;
    else if (meaning === 'small talk') smallTalk = true;
    else {
      const strength = meaning.sure ? 1 : 0.5;
      kinds.set(meaning.kind, Math.max(kinds.get(meaning.kind) ?? 0, strength));
      if (strength > best) [best, at] = [strength, words.starts[start] ?? 0];
    }
  });
  return {
    sentence,
    words,
    kinds,
    verb,
    progress,
    smallTalk,
    at,
    question: /[?？]["'”’»)\]*_`]*$/.test(sentence.text.slice(-6)),
  };
}

/** Begins by referring to the sentence before. */
const REFERS = new Set(
  'it that this which they these those so es das dies cela ça ce eso esto isso isto это'.split(' ').map(plain),
);

/** The sentence at `i` with those that continue it: fragments and sentences that refer to it. */
function joined(all: readonly Hints[], i: number): Hints[] {
  const run = [all[i] as Hints];
  for (let next = i + 1; next < all.length; next++) {
    const [last, one] = [run.at(-1) as Hints, all[next] as Hints];
    const length = run.reduce((sum, { sentence }) => sum + sentence.text.length + 1, one.sentence.text.length);
    if (one.sentence.block !== last.sentence.block || length > LONGEST) break;
    const opens = run.length === 1 && isFragment(last) && last.kinds.size > 0;
    const closes =
      one.kinds.size > 0 && one.words.names === 0 && (isFragment(one) || REFERS.has(one.words.words[0] ?? ''));
    if (!opens && !(closes && !last.progress)) break;
    run.push(one);
  }
  return run;
}

function isFragment({ words }: Hints): boolean {
  return words.names === 0 && words.words.length < FRAGMENT_WORDS;
}

function judge(run: readonly Hints[], by: Speaker, typed: boolean): Statement | undefined {
  const kinds = new Map<SignalKind, number>();
  for (const one of run)
    for (const [kind, strength] of one.kinds) kinds.set(kind, Math.max(kinds.get(kind) ?? 0, strength));
  const first = run[0] as Hints;
  const { form, wrapped } = first.sentence;
  const names = run.reduce((sum, one) => sum + one.words.names, 0);
  const count = run.reduce((sum, one) => sum + one.words.words.length, 0);
  const progress = run.every((one) => one.progress);
  const own = typed && !wrapped && form !== 'code';
  let kind: StatementKind = 'other';
  let strength = 0;
  let sure = 0;
  for (const [one, value] of kinds) {
    if (value === 1) sure++;
    const fits = value * KIND_WEIGHT[one] * (by === 'assistant' && OF_USERS.has(one) ? 0.7 : 1);
    if (fits > strength) [kind, strength] = [one, fits];
  }
  const verb = names > 0 && run.some((one) => one.verb);
  const against = (progress ? 0.75 : 0) + (first.question && by === 'assistant' ? 0.5 : 0);
  const sum = sure + 0.4 * Math.min(2, kinds.size - sure);
  const tells = sum + 0.25 * Math.min(3, names) + (verb ? 0.25 : 0) - against;
  const enough = form === 'prose' || form === 'item' ? 1 : form === 'code' ? 2 : 1.25;
  if (kind === 'other' && verb) kind = by === 'user' ? 'fact' : 'finding';
  if (!own && (tells < enough || count < 3)) return undefined;
  const empty = first.smallTalk && names === 0 && sum < 1 && count <= 8;
  const base = empty ? 0.02 : Math.max(strength, KIND_WEIGHT.other);
  const more = 0.1 * Math.min(2, Math.max(0, sum - 1)) + (empty ? 0 : 0.08 * Math.min(4, names));
  const less = (progress ? 0.2 : 0) + (first.question ? 0.1 : 0);
  const weight = Math.min(1, Math.max(0.01, base + more - less)) * (wrapped || form === 'code' ? 0.5 : 1);
  return { kind, text: excerpt(run), weight: Math.round(weight * 100) / 100 };
}

/** The sentences as one line, cut around the phrase with the most meaning. */
function excerpt(run: readonly Hints[]): string {
  const text = run.map(({ sentence }) => sentence.text).join(' ');
  if (text.length <= LONGEST) return text;
  const from = Math.max(0, Math.min((run[0] as Hints).at - LONGEST / 3, text.length - LONGEST));
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const end = text.lastIndexOf(' ', start + LONGEST);
  return `${start > 0 ? '…' : ''}${text.slice(start, end > start ? end : start + LONGEST)}${end < text.length ? '…' : ''}`;
}
