import { isRecord } from '../content.ts';
import type { Dialect, Tidied } from '../dialect.ts';
import { type DialectName, detectDialect, dialectNamed } from '../dialects/detect.ts';
import { brokenRule } from '../errors.ts';
import { checkMessages } from '../turns/check.ts';
import { readTurns } from '../turns/read-turns.ts';
import { isSame } from '../turns/same-message.ts';
import { sendable } from '../view/view.ts';
import { viewTurnOf } from '../view/view-turn.ts';
import { pairUp, type Tell, type Unit } from './pairing.ts';
import { TakenIds } from './taken-ids.ts';

/** One thing that was done to a broken history: at which message of the input (-1: all), for which rule, and what. */
export interface Repair {
  readonly index: number;
  readonly rule: string;
  readonly done: string;
}

/** A history that was repaired, with all that was done to it. */
export interface Repaired<M> {
  readonly messages: readonly M[];
  readonly repairs: readonly Repair[];
}

/**
 * A broken history made valid, with nothing taken out of it; the same list if nothing is broken. Pure, deterministic and
 * idempotent. Throws INVALID_HISTORY for what cannot be repaired.
 */
export function repairHistory<M>(
  messages: readonly M[],
  options: { readonly dialect?: Dialect<M> | DialectName } = {},
): Repaired<M> {
  const { dialect: given = detectDialect(messages) as Dialect<M> } = options;
  const dialect = typeof given === 'string' ? (dialectNamed(given) as Dialect<M>) : given;
  const { messages: whole, repairs } = repairMessages(dialect, messages);
  const turns = readTurns(dialect, whole, 0, 0).map(viewTurnOf);
  const sent = sendable(dialect, { turns, head: 0 });
  checkMessages(dialect, sent);
  if (sent.every((message, i) => message === whole[i])) return { messages: whole, repairs };
  return {
    messages: sent,
    repairs: [...repairs, { index: -1, rule: 'too-many-markers', done: 'The newest are kept.' }],
  };
}

/** What stands before messages that are repaired by themselves. */
interface Before<M> {
  readonly index: number;
  readonly message: M | undefined;
  /** Ids of calls, where no two may be the same; those of the messages are added. */
  readonly used: TakenIds;
}

/** Repairs what can be repaired and leaves all else to the rules. The same list if nothing can. Throws INVALID_HISTORY. */
export function repairMessages<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  before: Before<M> = { index: 0, message: undefined, used: new TakenIds() },
): Repaired<M> & { readonly places: readonly number[] } {
  const repairs: Repair[] = [];
  const known = new Set<string>();
  const tell: Tell = (index, rule, done) => {
    const { size } = known;
    if (known.add(`${index} ${rule}`).size > size) repairs.push({ index, rule, done });
  };
  const paired = pairUp(dialect, tidyEach(dialect, messages, before.index, tell), before.used, tell);
  const placed = dialect.tidy ? tidyPlaces(dialect, paired, before.message, tell) : paired;
  if (repairs.length === 0) return { messages, repairs, places: [] };
  repairs.sort((a, b) => a.index - b.index);
  const places = changedPlaces(messages, placed, before.index);
  return { messages: placed.map(({ message }) => message), repairs, places };
}

function tidyEach<M>(dialect: Dialect<M>, messages: readonly M[], first: number, tell: Tell): Unit<M>[] {
  return messages.flatMap((message, i) => {
    const index = first + i;
    if (!isRecord(message)) throw brokenRule({ index, rule: 'bad-message', fix: 'Send an object with a role.' });
    return become({ message, index }, dialect.tidy?.(message), tell);
  });
}

function tidyPlaces<M>(dialect: Dialect<M>, units: readonly Unit<M>[], first: M | undefined, tell: Tell): Unit<M>[] {
  const messages = units.map(({ message }) => message);
  const out: Unit<M>[] = [];
  for (const [index, unit] of units.entries()) {
    const before = out.at(-1)?.message ?? first;
    out.push(...become(unit, dialect.tidy?.(unit.message, { messages, index, before }), tell));
  }
  return out;
}

function become<M>(unit: Unit<M>, tidied: Tidied<M> | undefined, tell: Tell): Unit<M>[] {
  if (!tidied) return [unit];
  for (const [rule, done] of Object.entries(tidied.done)) tell(unit.index, rule, done);
  return tidied.messages.map((message) => ({ message, index: unit.index }));
}

/** Places of the repaired history at which another message stands than the one that followed in the input. */
function changedPlaces<M>(messages: readonly M[], units: readonly Unit<M>[], first: number): number[] {
  let next = first;
  return units.flatMap(({ message, index }, place) => {
    const same = message === messages[index - first] && index === next;
    next = index + 1;
    return same ? [] : place;
  });
}

/** The ids of the calls in the first messages of a repaired history; read only where results turn up without calls of their own. */
interface MadeCalls {
  readonly ids: Set<string>;
  read: number;
}

/** A history as it was repaired last; it holds the caller's messages, because a repair may reach back to any of them. */
export interface RepairMemo<M> extends Repaired<M> {
  readonly dialect: string;
  readonly input: readonly M[];
  /** Places in the repaired history that a repair changed. */
  readonly places: readonly number[];
  readonly used: TakenIds;
  /** It ends with the user, and no server tool is at work: what comes next changes nothing that stands, but by answering a call. */
  readonly closed: boolean;
  readonly made: MadeCalls;
  /** The first of the places that is not what it was before. */
  readonly edited?: number;
}

/** Repairs a history that may have been repaired before and have grown: then only what is new is read. Throws INVALID_HISTORY. */
export function repairAgain<M>(
  dialect: Dialect<M>,
  memo: RepairMemo<M> | undefined,
  history: readonly M[],
  offset = 0,
): RepairMemo<M> {
  if (offset !== 0)
    throw brokenRule({
      index: offset,
      rule: 'bad-offset',
      fix: 'With repair, give the whole history, without offset.',
    });
  const { name } = dialect;
  const input = history.slice();
  if (memo?.dialect === name && startsWith(input, memo.input)) {
    const { edited: _, ...known } = memo;
    if (input.length === known.input.length) return known;
    const grown = grow(dialect, known, input);
    if (grown) return { ...known, ...grown, input, closed: isClosed(dialect, input, grown.messages) };
  }
  const used = new TakenIds();
  const repaired = repairMessages(dialect, input, { index: 0, message: undefined, used });
  const edited = memo && firstEdit(dialect, memo, repaired);
  const made = { ids: new Set<string>(), read: 0 };
  const closed = isClosed(dialect, input, repaired.messages);
  return { ...repaired, dialect: name, input, used, closed, made, ...(edited === undefined ? {} : { edited }) };
}

type Grown<M> = Partial<RepairMemo<M>> & Pick<RepairMemo<M>, 'messages'>;

/** What is new, repaired by itself; undefined if it has to do with a call that stands. */
function grow<M>(dialect: Dialect<M>, known: RepairMemo<M>, input: readonly M[]): Grown<M> | undefined {
  const { closed, messages, repairs, places } = known;
  const { length: index } = known.input;
  const added = input.slice(index);
  // Results and approvals may belong to what stands.
  if (!closed || !isRecord(added[0]) || dialect.read(added[0]).role === 'tool') return undefined;
  const used = known.used.settle().fork();
  const own = repairMessages(dialect, added, { index, message: messages.at(-1), used });
  const isStray = own.repairs.some(({ rule }) => rule === 'orphan-result' || rule === 'double-result');
  if (repairs.length + own.repairs.length === 0) return { used, messages: input };
  if ((isStray || dialect.splitResponses) && meetsEarlier(dialect, known, added)) return undefined;
  return {
    used,
    messages: [...messages, ...own.messages],
    repairs: own.repairs.length === 0 ? repairs : [...repairs, ...own.repairs],
    places: [...places, ...own.places.map((place) => messages.length + place)],
  };
}

/** True if one of the messages has a result with the id of a call that stands or, where that gets another id, such a call. */
function meetsEarlier<M>(dialect: Dialect<M>, { messages, made }: RepairMemo<M>, added: readonly M[]): boolean {
  for (; made.read < messages.length; made.read++)
    for (const { id } of dialect.read(messages[made.read] as M).calls) made.ids.add(id);
  const tidied = tidyEach(dialect, added, 0, () => {});
  return tidied.some(({ message }) => {
    const { calls, results } = dialect.read(message);
    return [...(dialect.splitResponses ? calls : []), ...results].some(({ id }) => made.ids.has(id));
  });
}

/** Both end with the user: a result that was moved to its call leaves another message last. */
function isClosed<M>(dialect: Dialect<M>, ...both: readonly (readonly M[])[]): boolean {
  return both.every((messages) => endsWithUser(dialect, messages));
}

function endsWithUser<M>(dialect: Dialect<M>, messages: readonly M[]): boolean {
  const last = messages.at(-1);
  const role = isRecord(last) ? dialect.read(last as M).role : undefined;
  const speaker = messages.findLast((message) => isRecord(message) && dialect.read(message).role === 'assistant');
  return (role === 'user' || role === 'tool') && !(isRecord(speaker) && dialect.read(speaker as M).joined);
}

/** A plain loop, because each call looks at each message. */
function startsWith<M>(list: readonly M[], start: readonly M[]): boolean {
  for (let i = 0; i < start.length; i++) if (list[i] !== start[i]) return false;
  return true;
}

/** What was done now and had not been done before. */
export function newRepairs<M>(before: RepairMemo<M> | undefined, now: RepairMemo<M> | undefined): readonly Repair[] {
  if (!now || now.repairs === before?.repairs) return [];
  // One that has grown.
  const { length = 0 } = before?.repairs ?? [];
  if (length > 0 && now.repairs[length - 1] === before?.repairs[length - 1]) return now.repairs.slice(length);
  const known = new Set(before?.repairs.map(({ index, rule }) => `${index} ${rule}`));
  return now.repairs.filter(({ index, rule }) => !known.has(`${index} ${rule}`));
}

/** The first of these places, which are in order, from `least` on: at their end, where the new ones are. */
export function firstPlace(places: readonly number[], least: number): number | undefined {
  let at = places.length;
  while (at > 0 && Number(places[at - 1]) >= least) at--;
  return places[at];
}

interface Changed<M> {
  readonly messages: readonly M[];
  readonly places: readonly number[];
}

/** The first place that a repair changed, before or now, and that is not what it was. */
function firstEdit<M>(dialect: Dialect<M>, before: Changed<M>, now: Changed<M>): number | undefined {
  const places = [...before.places, ...now.places].sort((a, b) => a - b);
  return places.find((place) => {
    const [one, other] = [before.messages[place], now.messages[place]];
    return one !== undefined && (other === undefined || !isSame(dialect, other, one));
  });
}
