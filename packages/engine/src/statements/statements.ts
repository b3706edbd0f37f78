import { sliceText } from '../quoting/slice.ts';
import { HintReader, type Hints } from './hints.ts';
import type { Language, SignalKind, StatementKind } from './language.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { wordsOf } from './words.ts';

export type { StatementKind } from './language.ts';

/** A sentence worth remembering, in the speaker's own words. */
export interface Statement {
  readonly kind: StatementKind;
  readonly text: string;
  /** How much it tells, from 0 to 1: to choose if there is too little room. */
  readonly weight: number;
}

type Speaker = 'user' | 'assistant';

/** The strength of a phrase that suffices, and of one that needs another. */
const SURE = 1;
const MAYBE = 0.4;
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
  open: 0.38,
  other: 0.2,
};
/** Kinds that an assistant rarely states: such phrases usually mean something else there. */
const OF_USERS: ReadonlySet<StatementKind> = new Set(['rule', 'correction', 'preference', 'fact']);
/** The weight of a phrase that makes even an announcement worth keeping: "I'll use X instead of Y". */
const DECISIVE = 0.38;
/** A user's message up to this length is typed, not pasted: each sentence counts. */
const TYPED = 1_500;
/** A longer statement is cut around the phrase that made it one. */
const LONGEST = 400;
/** A shorter sentence without names belongs to its neighbour. */
const FRAGMENT_WORDS = 6;
/** A short statement takes in the sentence after it, up to so many characters together. */
const EXPLAINED = 200;
/**
 * Other sentences of the assistant with at least this many words stay too, because no list has every way to state something.
 * They weigh little, so they are the first to go.
 */
const PLAIN_WORDS = 6;
const PLAIN_NAMED_WORDS = 4;
const PLAIN_WEIGHT = 0.15;
const PLAIN_NAME_WEIGHT = 0.04;
/** A longer reply is more than small talk. */
const TALK_WORDS = 8;
/** One phrase that suffices, or two names and a verb, make a statement. */
const ENOUGH = 0.9;
/** A longer line that ends with a colon is a sentence, not a label. */
const LABEL_WORDS = 8;

/** Finds statements in texts of some languages. */
export class StatementReader {
  readonly #hints: HintReader;

  constructor(languages: readonly Language[]) {
    this.#hints = new HintReader(languages);
  }

  /**
   * The statements of a text, in order: sentences that decide, explain, forbid, correct, measure, fail or leave something open,
   * and with little weight all others that say more than what the assistant does next. In a user's short message every sentence is one. Pure; linear in the length of the text.
   */
  statementsOf(text: string, by: Speaker): Statement[] {
    const typed = by === 'user' && text.length <= TYPED;
    const all = this.#sentencesOf(text).map((one) => this.#hints.hintsOf(one));
    const statements: Statement[] = [];
    let label: Hints | undefined;
    for (let i = 0; i < all.length; ) {
      const run = joined(all, i);
      const [first] = run as [Hints, ...Hints[]];
      if (isLabel(first)) label = first;
      else if (label && label.sentence.form !== 'heading' && first.sentence.form !== 'item' && all[i - 1] !== label)
        label = undefined;
      const alone = isAlone(all[i - 1], first, all[i + run.length]);
      i += run.length;
      const statement = isLabel(first) && !typed ? undefined : judge(run, by, typed, label, alone);
      if (statement) statements.push(statement);
    }
    return statements;
  }

  /** True for a statement that only says what comes next: the next such statement supersedes it. Pure. */
  isStep(statement: string): boolean {
    const [first] = this.#sentencesOf(statement);
    const { intent = false, announces = false, kinds } = first ? this.#hints.hintsOf(first) : {};
    return (intent || announces) && kinds?.size === 0;
  }

  #sentencesOf(text: string): Sentence[] {
    return sentencesOf(text, (word) => this.#hints.isAbbreviation(word));
  }
}

/** The readers that were made, by one language after the other. */
interface Made {
  reader?: StatementReader;
  readonly after: WeakMap<Language, Made>;
}

const made: Made = { after: new WeakMap() };

/** The reader for these languages; windows with the same ones share its prepared phrases. */
export function readerOf(languages: readonly Language[]): StatementReader {
  let last = made;
  for (const language of languages) {
    const next = last.after.get(language) ?? { after: new WeakMap() };
    last.after.set(language, next);
    last = next;
  }
  last.reader ??= new StatementReader([...languages]);
  return last.reader;
}

/** A heading, or a short line that announces what follows. */
function isLabel({ sentence, words, names, announces }: Hints): boolean {
  // Headings write common words with capitals.
  const named = names > 0 && (sentence.form !== 'heading' || /[`_/\d]|[:：]\s*\S/.test(sentence.text.slice(0, -3)));
  return (announces || sentence.form === 'heading') && !named && words.length <= LABEL_WORDS;
}

/**
 * True for a paragraph of one statement: people write such a paragraph before or after what they paste. Of statements planted
 * there, 2 of 1,000 are lost, 10 without this rule; it changes nothing for statements inside longer paragraphs.
 */
function isAlone(before: Hints | undefined, { sentence }: Hints, after: Hints | undefined): boolean {
  const { block, form } = sentence;
  return form === 'prose' && before?.sentence.block !== block && after?.sentence.block !== block;
}

/** The sentence at `i` with those that continue it: fragments and sentences that refer to it. */
function joined(all: readonly Hints[], i: number): Hints[] {
  const run = [all[i] as Hints];
  let { length } = run[0]?.sentence.text ?? '';
  for (let next = i + 1; next < all.length; next++) {
    const [last, one] = [run.at(-1) as Hints, all[next] as Hints];
    length += one.sentence.text.length + 1;
    if (completes(run, one) && length <= EXPLAINED) {
      run.push(one);
      continue;
    }
    if (one.sentence.block !== last.sentence.block || length > LONGEST) break;
    const opens = run.length === 1 && isFragment(last) && last.kinds.size + last.maybe > 0;
    const follows = !last.progress || one.kinds.has('failed');
    const closes = one.kinds.size + one.maybe > 0 && follows && (isFragment(one) || refersBack(one));
    // "Turns out A is never flushed. B returns early.": the second sentence explains the first.
    const explains = run.length === 1 && last.kinds.size > 0 && !last.progress && isExplanation(one);
    if (!opens && !closes && !(explains && length <= EXPLAINED)) break;
    run.push(one);
  }
  return run;
}

/** "So the flow is now:" says nothing without the list that follows it. What states something itself stays by itself: long statements are cut. */
function completes(run: readonly Hints[], { sentence, announces, question, kinds }: Hints): boolean {
  const [first, ...others] = run;
  if (!first?.announces || first.kinds.size === 0 || isLabel(first) || announces || question || kinds.size > 0)
    return false;
  const { form, wrapped } = sentence;
  return wrapped === first.sentence.wrapped && (form === 'item' || (form === 'prose' && others.length === 0));
}

function isExplanation({ kinds, progress, question }: Hints): boolean {
  return (kinds.size === 0 || kinds.has('cause')) && !progress && !question;
}

function isFragment({ words, names }: Hints): boolean {
  return names === 0 && words.length < FRAGMENT_WORDS;
}

const PRONOUNS = new Set(
  'it that this which they them these those so es das dies sie cela ca ce il elle eso esto isso isto ele это этот'.split(
    ' ',
  ),
);

/** True without names, and with a pronoun among the first words. */
function refersBack({ words, names }: Hints): boolean {
  return names === 0 && words.slice(0, 4).some((word) => PRONOUNS.has(word));
}

/** True if words stand for something that was said before: "yes, do this". Pure. */
export function pointsBack(text: string): boolean {
  return wordsOf(text).words.some((word) => PRONOUNS.has(word));
}

const SENTENCE_END = /[.!。！]$/;

/** What is known of sentences that belong together. */
interface Evidence {
  readonly first: Hints;
  readonly by: Speaker;
  /** The kind that fits best, if any, and its weight. */
  readonly kind: SignalKind | undefined;
  readonly kindWeight: number;
  /** How strong all phrases are together. */
  readonly strength: number;
  readonly names: number;
  readonly words: number;
  readonly verb: boolean;
  readonly progress: boolean;
  /** It only says what comes next. */
  readonly intent: boolean;
}

/** The statement that sentences make together, if they make one. */
function judge(
  run: readonly Hints[],
  by: Speaker,
  typed: boolean,
  label: Hints | undefined,
  alone: boolean,
): Statement | undefined {
  const evidence = gather(run, by, label);
  const { first, kind, verb, names, words, progress, intent } = evidence;
  const { form, wrapped } = first.sentence;
  const pasted = by === 'user' && !typed;
  const isLog = pasted && evidence.strength < SURE && !(verb && SENTENCE_END.test(first.sentence.text));
  const tells = words >= 3 && !isLog && tellingOf(evidence) >= ENOUGH;
  const said = !wrapped && !first.question && (form === 'prose' || form === 'item') && !run.every((one) => one.look);
  const enough = names > 0 ? PLAIN_NAMED_WORDS : PLAIN_WORDS;
  const plain = by === 'assistant' && said && words >= enough && (names > 0 || !progress);
  if (form === 'log' ? !typed : !tells && !plain && (!typed || wrapped || form === 'code')) return undefined;
  const text = excerpt(run);
  const most = tells || by === 'user' ? 1 : PLAIN_WEIGHT + PLAIN_NAME_WEIGHT * Math.min(2, names);
  // Of two that tell the same, the shorter one: more of them find room.
  const weight = Math.min(most, weightOf(evidence) - 0.001 * Math.max(0, text.length - 120));
  // A harness does not correct anybody: that is the user.
  const inserted = (wrapped || form === 'code') && kind !== 'correction';
  const trust = (inserted ? 0.7 : wrapped ? 0.8 : 1) * (!alone && (pasted || inserted) ? 0.8 : 1);
  const announces = run.length === 1 && first.announces;
  const causes = run.filter((one) => one.kinds.has('cause'));
  const shown = kind === 'cause' && causes.length > 0 && causes.every((one) => one.concludes) ? 'finding' : kind;
  const rounded = Math.round(100 * Math.max(0.01, weight) * trust) / 100;
  return {
    kind: shown ?? (by === 'user' ? (verb ? 'fact' : 'other') : intent || announces ? 'open' : 'finding'),
    text,
    weight: rounded,
  };
}

function gather(run: readonly Hints[], by: Speaker, label: Hints | undefined): Evidence {
  const kinds = new Map<SignalKind, number>();
  for (const kind of label?.kinds ?? []) kinds.set(kind, MAYBE);
  let maybe = count(run, (one) => one.maybe);
  for (const one of run)
    for (const said of one.kinds) {
      const kind = by === 'user' ? said : kindOf(said, one);
      if (kind) kinds.set(kind, SURE);
      else maybe++;
    }
  let kind: SignalKind | undefined;
  let kindWeight = 0;
  let sure = 0;
  for (const [one, strength] of kinds) {
    const trust = by === 'assistant' && OF_USERS.has(one) ? 0.6 : 1;
    if (strength === SURE) sure += trust;
    else maybe++;
    const fits = strength * trust * KIND_WEIGHT[one];
    if (fits > kindWeight) [kind, kindWeight] = [one, fits];
  }
  const names = count(run, (one) => one.names);
  return {
    first: run[0] as Hints,
    by,
    kind,
    kindWeight,
    strength: SURE * sure + MAYBE * Math.min(2, maybe),
    names,
    words: count(run, (one) => one.words.length),
    verb: names > 0 && run.some((one) => one.verb),
    progress: by === 'assistant' && run.every((one) => one.progress),
    intent: run.every((one) => one.intent),
  };
}

/** What a phrase says in an assistant's sentence, if it says something: the reason for a next step is that of a decision. */
function kindOf(kind: SignalKind, { intent, look }: Hints): SignalKind | undefined {
  if (kind === 'decision') return kind;
  if (look || (intent && (kind === 'failed' || kind === 'finding'))) return undefined;
  return intent && kind === 'cause' ? 'decision' : kind;
}

/** How sure it is that they state something: by their phrases and, unless they announce something, by their names. */
function tellingOf({ first, by, kindWeight, strength, names, verb, progress }: Evidence): number {
  const { form } = first.sentence;
  const shape = 0.25 * Math.min(3, names) + (names > 1 && (verb || form === 'prose') ? 0.5 : verb ? 0.25 : 0);
  const announces = progress && kindWeight < DECISIVE;
  const against =
    (announces ? 0.75 : progress ? 0.4 : 0) +
    (first.question && by === 'assistant' ? 0.5 : 0) +
    (form === 'code' ? 1 : form === 'row' ? 0.25 : 0);
  return strength + (announces ? 0 : shape) - against;
}

/** How much they tell: by their kind, their names, and whether they say two things, such as a decision and its reason. */
function weightOf({ first, by, kindWeight, strength, names, words, verb, progress }: Evidence): number {
  if (first.smallTalk && names === 0 && strength < SURE && words <= TALK_WORDS) return 0.02;
  const base = Math.max(kindWeight, KIND_WEIGHT[verb && by === 'user' ? 'fact' : 'other']);
  const more = 0.08 * Math.min(2, names) + 0.12 * Math.min(2, Math.max(0, strength - SURE));
  const announced = !progress ? 0 : kindWeight < DECISIVE ? 0.2 : 0.1;
  return base + more - announced - (first.question ? 0.1 : 0) - (first.sentence.form === 'prose' ? 0 : 0.05);
}

function count(run: readonly Hints[], of: (one: Hints) => number): number {
  return run.reduce((sum, one) => sum + of(one), 0);
}

/** What stands before a sentence in one line with the one before it: items of a list have no full stop. */
function separator(before: Hints | undefined, { block, form }: Sentence): string {
  if (before === undefined) return '';
  const isNext = form === 'item' && before.sentence.form === 'item' && before.sentence.block !== block;
  return isNext && !/[.!?;。！？；]$/.test(before.sentence.text) ? '; ' : ' ';
}

/** The sentences as one line, cut around the strongest phrase. */
function excerpt(run: readonly Hints[]): string {
  const text = run.map(({ sentence }, i) => `${separator(run[i - 1], sentence)}${sentence.text}`).join('');
  if (text.length <= LONGEST) return text;
  const from = Math.max(0, Math.min((run[0]?.at ?? 0) - LONGEST / 4, text.length - LONGEST));
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const end = text.length - start <= LONGEST ? text.length : text.lastIndexOf(' ', start + LONGEST);
  const part = sliceText(text, start, end > start ? end : start + LONGEST);
  return `${start > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`;
}
