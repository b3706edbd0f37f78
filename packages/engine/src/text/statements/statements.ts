import { sliceText } from '../../content.ts';
import { type Hints, hintsOf, isAbbreviation, MAYBE, SURE } from './hints.ts';
import type { SignalKind, StatementKind } from './language.ts';
import { sentencesOf } from './sentences.ts';

export type { StatementKind } from './language.ts';

/** A sentence worth remembering, in the speaker's own words. */
export interface Statement {
  readonly kind: StatementKind;
  readonly text: string;
  /** How much it tells, from 0 to 1: to choose if there is too little room. */
  readonly weight: number;
}

type Speaker = 'user' | 'assistant';

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
  open: 0.35,
  other: 0.2,
};
/** Kinds that an assistant rarely states: such phrases usually mean something else there. */
const OF_USERS: ReadonlySet<StatementKind> = new Set(['rule', 'correction', 'preference', 'fact']);
/** A user's message up to this length is typed, not pasted: each sentence counts. */
const TYPED = 1_500;
/** A longer statement is cut around the phrase that made it one. */
const LONGEST = 400;
/** A shorter sentence without names belongs to its neighbour. */
const FRAGMENT_WORDS = 6;
/** A longer line that ends with a colon is a sentence, not a label. */
const LABEL_WORDS = 8;

/**
 * The statements of a text, in order: sentences that decide, explain, forbid, correct, measure, fail or leave something open.
 * In a user's short message every sentence is a statement. Pure; linear in the length of the text.
 */
export function statementsOf(text: string, by: Speaker): Statement[] {
  const typed = by === 'user' && text.length <= TYPED;
  const all = sentencesOf(text, isAbbreviation).map(hintsOf);
  const statements: Statement[] = [];
  let label: Hints | undefined;
  for (let i = 0; i < all.length; ) {
    const run = joined(all, i);
    const [first] = run as [Hints, ...Hints[]];
    if (isLabel(first)) label = first;
    else if (label && label.sentence.form !== 'heading' && first.sentence.form !== 'item' && all[i - 1] !== label)
      label = undefined;
    i += run.length;
    const statement = isLabel(first) && !typed ? undefined : judge(run, by, typed, label);
    if (statement) statements.push(statement);
  }
  return statements;
}

/** A heading, or a short line that announces what follows. */
function isLabel({ sentence, words, names }: Hints): boolean {
  const announces = sentence.form === 'heading' || /[:：][*_]*$/.test(sentence.text);
  return announces && names === 0 && words.length <= LABEL_WORDS;
}

/** The sentence at `i` with those that continue it: fragments and sentences that refer to it. */
function joined(all: readonly Hints[], i: number): Hints[] {
  const run = [all[i] as Hints];
  let { length } = run[0]?.sentence.text ?? '';
  for (let next = i + 1; next < all.length; next++) {
    const [last, one] = [run.at(-1) as Hints, all[next] as Hints];
    length += one.sentence.text.length + 1;
    if (one.sentence.block !== last.sentence.block || length > LONGEST) break;
    const opens = run.length === 1 && isFragment(last) && last.kinds.size > 0;
    const follows = !last.progress || one.kinds.get('failed') === SURE;
    const closes = one.kinds.size > 0 && follows && (isFragment(one) || refersBack(one));
    if (!opens && !closes) break;
    run.push(one);
  }
  return run;
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

/** The statement that sentences make together, if they make one. */
function judge(run: readonly Hints[], by: Speaker, typed: boolean, label: Hints | undefined): Statement | undefined {
  const [first] = run as [Hints, ...Hints[]];
  const { form, wrapped } = first.sentence;
  const { kind, strength, sum } = kindOf(run, by, label);
  const names = count(run, (one) => one.names);
  const words = count(run, (one) => one.words.length);
  const verb = names > 0 && run.some((one) => one.verb);
  const progress = run.every((one) => one.progress);
  const question = first.question && by === 'assistant';
  const tells =
    sum +
    0.25 * Math.min(3, names) +
    (!verb ? 0 : names > 1 ? 0.5 : 0.25) -
    (progress ? 0.75 : 0) -
    (question ? 0.5 : 0);
  const enough = form === 'code' ? 2 : form === 'row' ? 1.25 : 1;
  if ((!typed || wrapped || form === 'code') && (tells < enough || words < 3)) return undefined;
  const empty = first.smallTalk && names === 0 && sum < SURE && words <= 8;
  const weight =
    (empty ? 0.02 : Math.max(strength, KIND_WEIGHT[verb && by === 'user' ? 'fact' : 'other'])) +
    (empty ? 0 : 0.08 * Math.min(4, names) + 0.1 * Math.min(2, Math.max(0, sum - SURE))) -
    (progress ? 0.2 : 0) -
    (first.question ? 0.1 : 0);
  const scaled = Math.min(1, Math.max(0.01, weight)) * (wrapped || form === 'code' ? 0.5 : 1);
  const plainKind = by === 'assistant' ? 'finding' : verb ? 'fact' : 'other';
  return { kind: kind ?? plainKind, text: excerpt(run), weight: Math.round(scaled * 100) / 100 };
}

/** The kind that fits best, its weight, and how strong all hints are together. */
function kindOf(run: readonly Hints[], by: Speaker, label: Hints | undefined) {
  const kinds = new Map<SignalKind, number>();
  for (const one of run)
    for (const [kind, strength] of one.kinds) kinds.set(kind, Math.max(kinds.get(kind) ?? 0, strength));
  for (const [kind, strength] of label?.kinds ?? [])
    if (strength === SURE) kinds.set(kind, Math.max(kinds.get(kind) ?? 0, MAYBE));
  let kind: SignalKind | undefined;
  let strength = 0;
  let sure = 0;
  for (const [one, value] of kinds) {
    if (value === SURE) sure++;
    const fits = value * KIND_WEIGHT[one] * (by === 'assistant' && OF_USERS.has(one) ? 0.7 : 1);
    if (fits > strength) [kind, strength] = [one, fits];
  }
  return { kind, strength, sum: SURE * sure + MAYBE * Math.min(2, kinds.size - sure) };
}

function count(run: readonly Hints[], of: (one: Hints) => number): number {
  return run.reduce((sum, one) => sum + of(one), 0);
}

/** The sentences as one line, cut around the strongest phrase. */
function excerpt(run: readonly Hints[]): string {
  const text = run.map(({ sentence }) => sentence.text).join(' ');
  if (text.length <= LONGEST) return text;
  const from = Math.max(0, Math.min((run[0]?.at ?? 0) - LONGEST / 4, text.length - LONGEST));
  const start = from === 0 ? 0 : text.indexOf(' ', from) + 1;
  const end = text.length - start <= LONGEST ? text.length : text.lastIndexOf(' ', start + LONGEST);
  const part = sliceText(text, start, end > start ? end : start + LONGEST);
  return `${start > 0 ? '…' : ''}${part}${end < text.length ? '…' : ''}`;
}
