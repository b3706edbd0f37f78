import type { SignalKind } from './language.ts';
import { LANGUAGES } from './languages/index.ts';
import { Phrases } from './phrases.ts';
import type { Sentence } from './sentences.ts';
import { wordsOf } from './words.ts';

/** What the words of a sentence say about it. */
export interface Hints {
  readonly sentence: Sentence;
  readonly words: readonly string[];
  /** How many words are names. */
  readonly names: number;
  /** The kinds that its phrases point to, each with the strength of the best phrase. */
  readonly kinds: ReadonlyMap<SignalKind, number>;
  readonly verb: boolean;
  readonly progress: boolean;
  readonly smallTalk: boolean;
  readonly question: boolean;
  /** Where the strongest phrase starts. */
  readonly at: number;
}

/** The strength of a phrase that suffices, and of one that needs a second hint. */
export const SURE = 1;
export const MAYBE = 0.4;

type Meaning = readonly [kind: SignalKind, strength: number] | 'verb' | 'progress' | 'small talk';

const phrases = new Phrases<Meaning>();
const abbreviations = new Set<string>();
for (const { signals, verbs, progress, smallTalk, abbreviations: short } of LANGUAGES) {
  for (const [kind, [sure, maybe]] of Object.entries(signals) as [SignalKind, readonly [string, string]][]) {
    phrases.add(sure, [kind, SURE]);
    phrases.add(maybe, [kind, MAYBE]);
  }
  phrases.add(verbs, 'verb');
  phrases.add(progress, 'progress');
  phrases.add(smallTalk, 'small talk');
  for (const one of short.split('|')) abbreviations.add(one.trim());
}

/** True for a word that is often followed by a full stop inside a sentence, in any language. */
export function isAbbreviation(word: string): boolean {
  return abbreviations.has(word);
}

/** Subjects that are no names. */
const PRONOUNS = new Set(
  'it this that there these those he she they we you which what who here everything nothing all both each none one'.split(
    ' ',
  ),
);
const QUESTION = /[?？]["'”’»)\]*_`]*$/;

/** The hints of a sentence. Pure. */
export function hintsOf(sentence: Sentence): Hints {
  const { words, starts, names } = wordsOf(sentence.text);
  const kinds = new Map<SignalKind, number>();
  const flags = { verb: false, progress: false, smallTalk: false };
  let at = 0;
  let best = 0;
  let subject = false;
  phrases.find(words, (meaning, start) => {
    if (meaning === 'verb') {
      flags.verb = true;
      if (start === 1) subject = true;
    } else if (meaning === 'progress') flags.progress = true;
    else if (meaning === 'small talk') flags.smallTalk = true;
    else {
      const [kind, strength] = meaning;
      kinds.set(kind, Math.max(kinds.get(kind) ?? 0, strength));
      if (strength > best) [best, at] = [strength, starts[start] ?? 0];
    }
  });
  // The first word has a capital anyway; before a verb it may be a name.
  const named = subject && /^[*_\s]*\p{Lu}\p{Ll}/u.test(sentence.text) && !PRONOUNS.has(words[0] ?? '');
  return {
    sentence,
    words,
    names: names + (named ? 1 : 0),
    kinds,
    ...flags,
    question: QUESTION.test(sentence.text.slice(-6)),
    at,
  };
}
