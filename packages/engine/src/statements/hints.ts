import type { Language, SignalKind } from './language.ts';
import { Phrases } from './phrases.ts';
import { rowOpening } from './rows.ts';
import type { Sentence } from './sentences.ts';
import { wordsOf } from './words.ts';

/** What the words of a sentence say about it. */
export interface Hints {
  readonly sentence: Sentence;
  readonly words: readonly string[];
  /** How many words are names. */
  readonly names: number;
  /** The kinds that its phrases point to. */
  readonly kinds: ReadonlySet<SignalKind>;
  /** How many phrases it has that point to no kind. */
  readonly maybe: number;
  readonly verb: boolean;
  readonly progress: boolean;
  /** It says what the speaker will do next: it cannot be a cause that was found, or what was tried. */
  readonly intent: boolean;
  /** It says that the speaker looks at something, or is somewhere in a plan: what comes of it, a later sentence tells. */
  readonly look: boolean;
  readonly smallTalk: boolean;
  readonly question: boolean;
  /** It ends with a colon: what it says, something after it tells. */
  readonly announces: boolean;
  /** It draws a conclusion, "So the …", and gives no cause. */
  readonly concludes: boolean;
  /** Where the first phrase that points to a kind starts. */
  readonly at: number;
}

type Meaning = SignalKind | 'maybe' | 'verb' | 'intent' | 'look' | 'progress' | 'smallTalk';

/** Subjects that are not names. */
const PRONOUNS = new Set(
  'it this that there these those he she they we you which what who here everything nothing all both each none one'.split(
    ' ',
  ),
);
/** Words before the start of a sentence proper. */
const CONNECTIVES = new Set(
  'therefore thus hence so now then also additionally first finally thought action , :'.split(' '),
);
/** What is done is among the first words of an announcement. */
const LOOK_WORDS = 8;
/** How a report of progress begins. */
const REPORT_WORDS = 4;
const QUESTION = /[?？]["'”’»)\]*_`]*$/;

const COLON = /[:：][*_]*$/;

/** Reads the hints of sentences in some languages; of each, the phrases are prepared when a text first needs them. */
export class HintReader {
  readonly #phrases = new Phrases<Meaning>();
  #unread: readonly Language[];
  readonly #abbreviations: ReadonlySet<string>;

  constructor(languages: readonly Language[]) {
    this.#unread = languages;
    this.#abbreviations = new Set(languages.flatMap((one) => one.abbreviations.split('|').map((word) => word.trim())));
  }

  /** True for a word that is often followed by a full stop inside a sentence, in any of the languages. */
  isAbbreviation(word: string): boolean {
    return this.#abbreviations.has(word);
  }

  /** The hints of a sentence. Pure. */
  hintsOf(sentence: Sentence): Hints {
    if (this.#unread.length > 0) this.#prepare(sentence.text);
    const { words, starts, names } = wordsOf(sentence.text);
    const kinds = new Set<SignalKind>();
    const maybe = new Set<number>();
    const flags = { verb: false, intent: false, look: false, progress: false, smallTalk: false };
    let at = 0;
    let subject = false;
    const first = Math.max(
      0,
      words.findIndex((word) => !CONNECTIVES.has(word)),
    );
    let concludes = true;
    const row = rowOpening(sentence.text);
    let states = false;
    this.#phrases.find(words, first, (meaning, start) => {
      // "Step 3: run …" is a row of a plan, "Step 3 fails …" is not.
      states ||= meaning === 'verb' && !(row?.ends && start <= row.words);
      if (meaning === 'maybe') maybe.add(start);
      else if (meaning in flags) {
        flags[meaning as keyof typeof flags] ||= meaning !== 'look' || start < LOOK_WORDS;
        subject ||= meaning === 'verb' && start === 1;
      } else {
        if (kinds.size === 0) at = starts[start] ?? 0;
        concludes &&= meaning !== 'cause' || start < first;
        kinds.add(meaning as SignalKind);
      }
    });
    const isRow = row !== undefined && kinds.size === 0 && !states && (row.ends || maybe.size === 0);
    // "Therefore I will …" gives no reason.
    if (flags.intent && concludes) kinds.delete('cause');
    // The first word has a capital anyway; before a verb it may be a name.
    const named = subject && /^[*_\s]*\p{Lu}\p{Ll}/u.test(sentence.text) && !PRONOUNS.has(words[0] ?? '');
    return {
      sentence,
      words,
      names: names + (named ? 1 : 0),
      kinds,
      maybe: maybe.size,
      ...flags,
      // "I have not …" reports no progress.
      progress: (flags.progress && !words.slice(0, REPORT_WORDS).includes('not')) || flags.intent || isRow,
      look: (flags.look && flags.intent) || isRow,
      question: QUESTION.test(sentence.text.slice(-6)),
      announces: COLON.test(sentence.text.slice(-6)),
      concludes: concludes && kinds.has('cause'),
      at,
    };
  }

  /** Prepares the phrases that can occur in this text. */
  #prepare(text: string): void {
    const spoken = this.#unread.filter(({ script }) => script === undefined || script.test(text));
    if (spoken.length === 0) return;
    this.#unread = this.#unread.filter((one) => !spoken.includes(one));
    for (const { signals, hints, verbs, intents, looks, progress, smallTalk } of spoken) {
      for (const [kind, list] of Object.entries(signals) as [SignalKind, string][]) this.#phrases.add(list, kind);
      this.#phrases.add(hints, 'maybe');
      this.#phrases.add(verbs, 'verb');
      this.#phrases.add(intents, 'intent');
      this.#phrases.add(looks, 'look');
      this.#phrases.add(progress, 'progress');
      this.#phrases.add(smallTalk, 'smallTalk');
    }
  }
}
