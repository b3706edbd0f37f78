import { argumentText } from '../calls/call-facts.ts';
import { mediaIn } from '../content/blocks.ts';
import { contentText } from '../content/text.ts';
import type { Dialect, Reading, Result } from '../dialect.ts';
import { jsonChars } from '../size/json-chars.ts';
import { type Calibration, type Load, loadOf, tokensOf } from '../size/tokens.ts';
import type { Turn, Wording } from '../strategy.ts';
import { placeholder, type RawTurn, type ReadMessages, turnAt } from '../turns/read-turns.ts';
import { copyOf } from '../turns/snapshot.ts';
import type { Excerpts } from './excerpt.ts';
import {
  applyCuts,
  argumentChars,
  type Cut,
  cutsAt,
  cutsOf,
  isCut,
  type Masker,
  type Repeats,
  WORDS,
  WORDS_PREVIEW,
} from './mask.ts';
import { ARGUMENTS } from './mask-arguments.ts';
import { joinAnswers, withTextCalls } from './text-calls.ts';

/** Lines from the archive that are sent at the end of the message at this index of the history. */
export interface Reminder {
  readonly at: number;
  readonly text: string;
}

/** A turn in the view. Immutable: masking makes another one. */
export interface ViewTurn<M> {
  /** Index in the history of its first message. */
  readonly from: number;
  /** Without the reminder, which `sendable` adds. */
  readonly messages: readonly M[];
  readonly readings: readonly Reading[];
  /** Includes the reminder. */
  readonly load: Load;
  readonly role: Turn['role'];
  /** Has words of the user or of a system message. */
  readonly words: boolean;
  /** Starts with a user message that has no tool results. */
  readonly asks: boolean;
  readonly markers: number;
  /** Has a message that no fold may touch. */
  readonly firm: boolean;
  readonly cuts: readonly Cut[];
  /** Its thinking blocks were removed. */
  readonly unthought: boolean;
  readonly reminder?: Reminder & { readonly chars: number };
}

const NO_CUTS: readonly Cut[] = [];

export function viewTurnOf<M>(dialect: Dialect<M>, turn: RawTurn<M>): ViewTurn<M> {
  return makeTurn(withTextCalls(dialect, turn), NO_CUTS, false);
}

/** The turns of new messages. */
export function viewTurnsOf<M>(dialect: Dialect<M>, messages: ReadMessages<M>): ViewTurn<M>[] {
  const read = joinAnswers(dialect, messages);
  return read.starts.map((_, place) => viewTurnOf(dialect, turnAt(read, place)));
}

function makeTurn<M>(
  { from, messages, readings }: RawTurn<M>,
  cuts: readonly Cut[],
  unthought: boolean,
  reminder?: ViewTurn<M>['reminder'],
): ViewTurn<M> {
  const first = readings[0]?.role;
  let words = false;
  let markers = 0;
  let firm = false;
  for (const reading of readings) {
    if (reading.words && reading.role !== 'assistant') words = true;
    markers += reading.markers;
    firm ||= reading.firm;
  }
  const load = loadOf(readings);
  return {
    from,
    messages,
    readings,
    load: reminder ? { ...load, chars: load.chars + reminder.chars } : load,
    role: first === undefined || first === 'tool' ? 'assistant' : first,
    words,
    asks: first === 'user',
    markers,
    firm,
    cuts,
    unthought,
    ...(reminder ? { reminder } : {}),
  };
}

/** The turn with this reminder; the same turn if its message is shortened or has no place for one. */
export function remindTurn<M>(dialect: Dialect<M>, turn: ViewTurn<M>, { at, text }: Reminder): ViewTurn<M> {
  const { [at - turn.from]: message } = turn.messages;
  if (message === undefined || turn.reminder || cutsAt(turn, at)) return turn;
  const longer = dialect.append?.(message, text);
  if (longer === undefined) return turn;
  const chars = dialect.read(longer).chars - (turn.readings[at - turn.from] as Reading).chars;
  return makeTurn(turn, turn.cuts, turn.unthought, { at, text, chars });
}

/** The turns with these reminders, as far as they still have a place for them. */
export function remindTurns<M>(
  dialect: Dialect<M>,
  turns: readonly ViewTurn<M>[],
  reminders: readonly Reminder[],
): readonly ViewTurn<M>[] {
  if (reminders.length === 0) return turns;
  return turns.map((turn) => {
    const own = reminders.find(({ at }) => turn.from <= at && at < turn.from + turn.messages.length);
    return own ? remindTurn(dialect, turn, own) : turn;
  });
}

/** The reminders in these turns, as plain data. */
export function remindersOf<M>(turns: readonly ViewTurn<M>[]): Reminder[] {
  return turns.flatMap(({ reminder }) => (reminder ? [{ at: reminder.at, text: reminder.text }] : []));
}

/** The turn without its reminder. */
export function unremindTurn<M>(turn: ViewTurn<M>): ViewTurn<M> {
  return turn.reminder ? makeTurn(turn, turn.cuts, turn.unthought) : turn;
}

/** The turn with these messages instead of its own. Reads only those that differ. New cuts remove its reminder. */
function remakeTurn<M>(dialect: Dialect<M>, turn: ViewTurn<M>, changed: Partial<ViewTurn<M>>): ViewTurn<M> {
  const { messages, cuts, unthought } = { ...turn, ...changed };
  const readings = messages.map((message, i) =>
    message === turn.messages[i] ? (turn.readings[i] as Reading) : dialect.read(message),
  );
  const reminder = cuts === turn.cuts ? turn.reminder : undefined;
  return makeTurn(withTextCalls(dialect, { from: turn.from, messages, readings }), cuts, unthought, reminder);
}

/** The turn with more cuts. Where these go, it must still have the originals. */
export function cutTurn<M>(masker: Masker<M>, turn: ViewTurn<M>, cuts: readonly Cut[]): ViewTurn<M> {
  if (cuts.length === 0) return turn;
  // Copies, because the caller may change the originals in place.
  const messages = turn.messages.map((message, i) => {
    const at = turn.from + i;
    const own = cutsAt({ cuts }, at);
    return own ? copyOf(applyCuts(masker, message, at, own.values())) : message;
  });
  return remakeTurn(masker.dialect, turn, { messages, cuts: [...turn.cuts, ...cuts] });
}

/** What decides which cuts save something. */
export interface Cutter<M> extends Masker<M> {
  readonly calibration: Calibration;
  readonly wording?: Wording;
  /** The view exceeds the provider's limits for images or bytes: freeing one is worth a few tokens. */
  readonly overLimits?: boolean;
}

/** The turn with those of the cuts that save something; the same turn if none does. */
function shortenTurn<M>(cutter: Cutter<M>, turn: ViewTurn<M>, cuts: readonly Cut[]): ViewTurn<M> {
  const made = cutTurn(cutter, turn, cuts);
  const saving = savingCuts(cutter, turn, cuts, made);
  return saving.length === cuts.length ? made : cutTurn(cutter, turn, saving);
}

/** Of so many cuts in one message, each is judged alone where that takes reading the whole message; more of them together. */
const JUDGED_ALONE = 50;

/** The cuts whose mask is shorter than what it replaces, in characters and tokens. `made` is the turn with all of them. */
export function savingCuts<M>(cutter: Cutter<M>, turn: ViewTurn<M>, cuts: readonly Cut[], made: ViewTurn<M>): Cut[] {
  return cuts.filter((cut) => isSaving(cutter, turn, cut, made, cutsAt({ cuts }, cut.at)?.size ?? 0));
}

function isSaving<M>(cutter: Cutter<M>, turn: ViewTurn<M>, cut: Cut, made: ViewTurn<M>, inMessage: number): boolean {
  const { dialect, calibration } = cutter;
  const i = cut.at - turn.from;
  const message = turn.messages[i] as M;
  if (made.messages[i] === message) return false;
  const reading = turn.readings[i] as Reading;
  const content = reading.results[cut.part]?.content;
  const mask = contentText(made.readings[i]?.results[cut.part]?.content);
  if (cut.part >= 0 && mediaIn(content) === '') {
    const whole = contentText(content);
    // A caller's counter may count more in the shorter text.
    const size = (text: string) => dialect.read(dialect.note('user', text)).chars;
    return mask.length < whole.length && size(mask) < size(whole);
  }
  if (cut.part >= 0 && mask.length >= jsonChars(content)) return false;
  // By itself: other cuts of the message may save what this one costs.
  const alone =
    inMessage > JUDGED_ALONE ? (made.readings[i] as Reading) : dialect.read(applyCuts(cutter, message, cut.at, [cut]));
  if (cutter.overLimits && (alone.mediaSizes?.bytes ?? 0) < (reading.mediaSizes?.bytes ?? 0)) return true;
  return tokensOf(loadOf([alone]), calibration) < tokensOf(loadOf([reading]), calibration);
}

/** The results of a turn that a mask leaves whole, those that it shows as excerpts, and those that are shown again later. */
export interface Shown {
  readonly repeats: Repeats;
  readonly spare: readonly number[];
  readonly excerpts: readonly number[];
  readonly runs: Excerpts;
  /** Long arguments are shortened, too. */
  readonly shortArguments?: boolean;
}

/** The turn with its results shortened, except those already cut and those to be shown; the same turn if that saves nothing. */
export function maskTurn<M>(cutter: Cutter<M>, turn: ViewTurn<M>, chars: number, shown?: Shown): ViewTurn<M> {
  return shortenTurn(cutter, turn, newCuts(turn, chars, cutter.wording?.mask, shown));
}

/** The cuts that would shorten the turn's results and, if asked for, arguments, without those already cut. */
export function newCuts<M>(turn: ViewTurn<M>, chars: number, wording?: string, shown?: Shown): Cut[] {
  let first = 0;
  return turn.readings.flatMap((reading, i) => {
    const at = turn.from + i;
    const cuts = cutsOf(reading, at, chars, wording, shown?.repeats);
    const before = first;
    first += reading.results.length;
    if (shown?.shortArguments && !isCut(turn, at, ARGUMENTS) && argumentChars(reading, chars).length > 0)
      cuts.push({ at, part: ARGUMENTS, chars });
    return cuts.flatMap((cut): Cut[] => {
      const place = before + cut.part;
      if (isCut(turn, cut.at, cut.part) || shown?.spare.includes(place)) return [];
      if (!shown?.excerpts.includes(place) || cut.same !== undefined) return [cut];
      const lines = shown.runs((reading.results[cut.part] as Result).content);
      return [lines.length > 0 ? { ...cut, lines } : cut];
    });
  });
}

/**
 * The turn with the long words of the user and of system messages shortened, at those indexes that `goes` names, optionally
 * without images; the same turn if that was done before.
 */
export function previewWords<M>(
  cutter: Cutter<M>,
  turn: ViewTurn<M>,
  goes: (at: number) => boolean = () => true,
  images = false,
): ViewTurn<M> {
  const { dialect } = cutter;
  const cuts = turn.messages.flatMap((message, i): Cut[] => {
    const { role, words, mediaSizes } = turn.readings[i] as Reading;
    const at = turn.from + i;
    if (!words || role === 'assistant' || !goes(at) || isCut(turn, at, WORDS)) return [];
    const isLong = dialect.text(message).length > 2 * WORDS_PREVIEW || (images && mediaSizes !== undefined);
    return isLong ? [{ at, part: WORDS, chars: WORDS_PREVIEW }] : [];
  });
  return shortenTurn(cutter, turn, cuts);
}

/** The turn without thinking blocks; undefined if nothing is left. */
export function unthinkTurn<M>(dialect: Dialect<M>, turn: ViewTurn<M>): ViewTurn<M> | undefined {
  if (!turn.readings.some((reading) => reading.thinking)) return turn;
  const isAlone = turn.messages.length === 1;
  const messages = turn.messages.flatMap((message, i) => {
    if (!turn.readings[i]?.thinking) return message;
    return copyOf(dialect.withoutThinking(message) ?? (isAlone ? undefined : placeholder(dialect))) ?? [];
  });
  return messages.length === 0 ? undefined : remakeTurn(dialect, turn, { messages, unthought: true });
}

/** The caller's newer objects for messages, by index, and how many cache markers are left on others, which are shortened. */
export interface Renewed<M> {
  readonly messages: Map<number, M>;
  readonly markers: Map<number, number>;
}

/** The turn with the caller's newer objects for some messages: the same content, perhaps other cache markers. */
export function renewTurn<M>(dialect: Dialect<M>, turn: ViewTurn<M>, renewed: Renewed<M>): ViewTurn<M> {
  const { messages: newest, markers } = renewed;
  if (!turn.messages.some((_, i) => newest.has(turn.from + i) || markers.has(turn.from + i))) return turn;
  const messages = turn.messages.map((message, i) => {
    const left = markers.get(turn.from + i);
    if (left !== undefined) return dialect.withMarkers(message, left);
    const newer = newest.get(turn.from + i);
    const bare = turn.unthought && newer !== undefined && dialect.read(newer).thinking;
    return (bare ? copyOf(dialect.withoutThinking(newer)) : newer) ?? message;
  });
  return remakeTurn(dialect, turn, { messages });
}

/** The index of the first turn of the last exchange: the newest calls, or what the user said after them. */
export function latestFrom<M>(turns: readonly ViewTurn<M>[]): number {
  return turns.findLastIndex(({ asks, readings }) => asks || readings.some(({ results }) => results.length > 0));
}

/** All texts of a turn in the view: words, arguments, results. */
export function turnTexts<M>(dialect: Dialect<M>, turn: ViewTurn<M>): string[] {
  return turn.messages.flatMap((message, i) => messageTexts(dialect, message, turn.readings[i] as Reading));
}

export function messageTexts<M>(dialect: Dialect<M>, message: M, reading: Reading): string[] {
  return [
    ...(reading.words ? [dialect.text(message)] : []),
    ...reading.calls.map(argumentText),
    ...reading.results.map((result) => contentText(result.content)),
  ];
}
