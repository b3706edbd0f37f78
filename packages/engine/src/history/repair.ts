import type { Dialect, Tidied } from '../dialect.ts';
import { brokenRule } from '../errors.ts';
import { isRecord } from '../json/record.ts';
import { isSame } from '../turns/same-message.ts';
import { pairCalls, type Report, type Unit } from './pairing.ts';
import type { Repair, Repaired, RepairMemo } from './repairs.ts';
import { TakenIds } from './taken-ids.ts';

/** What precedes messages that are repaired by themselves. */
interface Before<M> {
  readonly index: number;
  readonly message: M | undefined;
  /** Ids of calls, if they must be unique; the repair adds its own. */
  readonly used: TakenIds;
}

/** Repairs what it can; checks come later. The same list if there is nothing to repair. Throws INVALID_HISTORY. */
export function repairMessages<M>(
  dialect: Dialect<M>,
  messages: readonly M[],
  before: Before<M> = { index: 0, message: undefined, used: new TakenIds() },
): Repaired<M> & { readonly places: readonly number[] } {
  const repairs: Repair[] = [];
  const known = new Set<string>();
  const report: Report = (index, rule, done) => {
    const { size } = known;
    if (known.add(`${index} ${rule}`).size > size) repairs.push({ index, rule, done });
  };
  const paired = pairCalls(dialect, tidyEach(dialect, messages, before.index, report), before.used, report);
  const placed = dialect.tidy ? tidyPlaces(dialect, paired, before.message, report) : paired;
  if (repairs.length === 0) return { messages, repairs, places: [] };
  repairs.sort((a, b) => a.index - b.index);
  const places = changedPlaces(messages, placed, before.index);
  return { messages: placed.map(({ message }) => message), repairs, places };
}

function tidyEach<M>(dialect: Dialect<M>, messages: readonly M[], first: number, report: Report): Unit<M>[] {
  return messages.flatMap((message, i) => {
    const index = first + i;
    if (!isRecord(message)) throw brokenRule({ index, rule: 'bad-message', fix: 'Send an object with a role.' });
    return replaced({ message, index }, dialect.tidy?.(message), report);
  });
}

function tidyPlaces<M>(
  dialect: Dialect<M>,
  units: readonly Unit<M>[],
  first: M | undefined,
  report: Report,
): Unit<M>[] {
  const messages = units.map(({ message }) => message);
  const out: Unit<M>[] = [];
  for (const [index, unit] of units.entries()) {
    const before = out.at(-1)?.message ?? first;
    out.push(...replaced(unit, dialect.tidy?.(unit.message, { messages, index, before }), report));
  }
  return out;
}

function replaced<M>(unit: Unit<M>, tidied: Tidied<M> | undefined, report: Report): Unit<M>[] {
  if (!tidied) return [unit];
  for (const [rule, done] of Object.entries(tidied.done)) report(unit.index, rule, done);
  return tidied.messages.map((message) => ({ message, index: unit.index }));
}

/** Indexes in the repaired history at which the message is not the next one of the input. */
function changedPlaces<M>(messages: readonly M[], units: readonly Unit<M>[], first: number): number[] {
  let next = first;
  return units.flatMap(({ message, index }, place) => {
    const same = message === messages[index - first] && index === next;
    next = index + 1;
    return same ? [] : place;
  });
}

/** Repairs a history again. If it only grew, reads only what is new. Throws INVALID_HISTORY. */
export function repairAgain<M>(
  dialect: Dialect<M>,
  memo: RepairMemo<M> | undefined,
  history: readonly M[],
  offset = 0,
): RepairMemo<M> {
  const fix = 'With repair, pass the whole history, without offset.';
  if (offset !== 0) throw brokenRule({ index: offset, rule: 'bad-offset', fix });
  const { name } = dialect;
  const input = history.slice();
  if (memo?.dialect === name && isPrefix(input, memo.input)) {
    const { edited: _, ...known } = memo;
    if (input.length === known.input.length) return known;
    const grown = repairNew(dialect, known, input);
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

/** The new messages, repaired by themselves; undefined if they affect earlier calls. */
function repairNew<M>(dialect: Dialect<M>, known: RepairMemo<M>, input: readonly M[]): Grown<M> | undefined {
  const { closed, messages, repairs, places } = known;
  const { length: index } = known.input;
  const added = input.slice(index);
  // Results and approvals may belong to earlier calls.
  if (!closed || !isRecord(added[0]) || dialect.read(added[0]).role === 'tool') return undefined;
  const used = known.used.settle().fork();
  const own = repairMessages(dialect, added, { index, message: messages.at(-1), used });
  const isStray = own.repairs.some(({ rule }) => rule === 'orphan-result' || rule === 'double-result');
  if (repairs.length + own.repairs.length === 0) return { used, messages: input };
  if ((isStray || dialect.splitResponses) && affectsEarlierCalls(dialect, known, added)) return undefined;
  return {
    used,
    messages: [...messages, ...own.messages],
    repairs: own.repairs.length === 0 ? repairs : [...repairs, ...own.repairs],
    places: [...places, ...own.places.map((place) => messages.length + place)],
  };
}

/** True if a new result has the id of an earlier call, or a new call has it where ids must be renamed. */
function affectsEarlierCalls<M>(dialect: Dialect<M>, { messages, made }: RepairMemo<M>, added: readonly M[]): boolean {
  for (; made.read < messages.length; made.read++)
    for (const { id } of dialect.read(messages[made.read] as M).calls) made.ids.add(id);
  const tidied = tidyEach(dialect, added, 0, () => {});
  return tidied.some(({ message }) => {
    const { calls, results } = dialect.read(message);
    return [...(dialect.splitResponses ? calls : []), ...results].some(({ id }) => made.ids.has(id));
  });
}

/** True if all lists end with the user: a result moved to its call leaves another message last. */
function isClosed<M>(dialect: Dialect<M>, ...both: readonly (readonly M[])[]): boolean {
  return both.every((messages) => endsWithUser(dialect, messages));
}

function endsWithUser<M>(dialect: Dialect<M>, messages: readonly M[]): boolean {
  const last = messages.at(-1);
  const role = isRecord(last) ? dialect.read(last as M).role : undefined;
  const speaker = messages.findLast((message) => isRecord(message) && dialect.read(message).role === 'assistant');
  return (role === 'user' || role === 'tool') && !(isRecord(speaker) && dialect.read(speaker as M).joined);
}

/** A plain loop, because every call checks every message. */
function isPrefix<M>(list: readonly M[], start: readonly M[]): boolean {
  for (let i = 0; i < start.length; i++) if (list[i] !== start[i]) return false;
  return true;
}

interface Changed<M> {
  readonly messages: readonly M[];
  readonly places: readonly number[];
}

/** The first index that a repair changed, then or now, and that differs from before. */
function firstEdit<M>(dialect: Dialect<M>, before: Changed<M>, now: Changed<M>): number | undefined {
  const places = [...before.places, ...now.places].sort((a, b) => a - b);
  return places.find((place) => {
    const [one, other] = [before.messages[place], now.messages[place]];
    return one !== undefined && (other === undefined || !isSame(dialect, other, one));
  });
}
