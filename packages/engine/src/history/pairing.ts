import type { Call, Dialect, Reading } from '../dialect.ts';
import { readAt, readTurns, unpaired } from '../turns/read-turns.ts';
import { TakenIds } from './taken-ids.ts';

/** A message of a repaired history, and the index in the input that it comes from. */
export interface Unit<M> {
  readonly message: M;
  readonly index: number;
}

/** Reports what was done to the message at an index of the input, and by which rule. */
export type Report = (index: number, rule: string, done: string) => void;

/** A message, or one of its results or its words, if the dialect can split it. */
interface Part<M> {
  message: M;
  readonly unit: Unit<M>;
  readonly reading: Reading;
  /** How many parts its message has; 0 once it was changed. */
  size: number;
  /** The calls that it makes or answers. */
  group?: CallGroup<M>;
  /** Indexes of its results that answer no call. */
  readonly strays: Set<number>;
}

/** The calls of a message and the messages that answer them. */
interface CallGroup<M> {
  readonly made: Made[];
  /** How many of the calls have no result. */
  open: number;
  readonly answers: Part<M>[];
}

interface Made {
  readonly call: Call;
  answered: boolean;
}

/** The calls of one message that share an id, in order; the first `answered` of them have results. */
interface SameIdCalls<M> {
  readonly group: CallGroup<M>;
  readonly calls: Made[];
  answered: number;
}

/** The calls that a result with this id may answer, those of the newest message last. */
type CallsById<M> = Map<string, SameIdCalls<M>[]>;

const NO_RESULT = '[No result was recorded for this call]';
const NONE: ReadonlyMap<number, string> = new Map();

/**
 * The messages with exactly one result for each call, in its place; all other results become text. `used` has the ids of
 * earlier calls, if they must be unique, and receives the new ones. Throws INVALID_HISTORY for a duplicate id in a dialect
 * without `rename`.
 */
export function pairCalls<M>(
  dialect: Dialect<M>,
  units: readonly Unit<M>[],
  used: TakenIds,
  report: Report,
): readonly Unit<M>[] {
  if (isPaired(dialect, units, used)) return units;
  const parts = units.flatMap((unit) => partsOf(dialect, unit));
  const made: CallsById<M> = new Map();
  const { uniqueCallIds, splitResponses, rename } = dialect;
  // A result may come much later: until then the id of its call is taken.
  const isUnique = uniqueCallIds || (splitResponses && rename);
  let taken = used;
  let group: CallGroup<M> | undefined;
  for (const part of parts) {
    const { role, calls, results } = part.reading;
    const isSameResponse = splitResponses && role === 'assistant' && taken !== used;
    if (!isUnique && !isSameResponse) taken = new TakenIds();
    if (results.length > 0) answerCalls(dialect, part, made, report);
    else if (calls.length > 0) makeCalls(dialect, part, made, taken, report);
    // A tool message without results has approvals of the calls before it that have no result yet.
    else if (role === 'tool' && group && group.open > 0) {
      group.answers.push(part);
      part.group = group;
    }
    if (role !== 'tool' || part.group !== group) group = role === 'tool' ? undefined : part.group;
  }
  return join(dialect, (splitResponses ? leaveInPlace : moveToCalls)(dialect, parts, report));
}

/** True if all calls are paired, as usual: then no message is split. */
function isPaired<M>(dialect: Dialect<M>, units: readonly Unit<M>[], used: TakenIds): boolean {
  const ids = new Set<string>();
  let calls = 0;
  try {
    const messages = units.map(({ message }) => message);
    for (const { readings } of readTurns(dialect, messages)) {
      for (const reading of dialect.uniqueCallIds ? readings : []) {
        calls += reading.calls.length;
        for (const { id } of reading.calls) if (!used.has(id)) ids.add(id);
      }
    }
  } catch {
    return false;
  }
  if (ids.size < calls) return false;
  for (const id of ids) used.add(id);
  return true;
}

function partsOf<M>(dialect: Dialect<M>, unit: Unit<M>): Part<M>[] {
  const { results } = readAt(dialect, unit.message, unit.index);
  const messages = (results.length > 0 && dialect.split?.(unit.message)) || [unit.message];
  const size = messages.length;
  return messages.map((message) => ({ message, unit, reading: dialect.read(message), size, strays: new Set() }));
}

function makeCalls<M>(dialect: Dialect<M>, part: Part<M>, made: CallsById<M>, taken: TakenIds, report: Report): void {
  const group: CallGroup<M> = { made: [], open: part.reading.calls.length, answers: [] };
  const ids = new Map<number, string>();
  for (const [at, call] of part.reading.calls.entries()) {
    const id = taken.take(call.id);
    const one = { call: { ...call, id }, answered: false };
    group.made.push(one);
    const isAgain = id !== call.id;
    if (isAgain) ids.set(at, id);
    // Where an id may repeat, later results answer the newer call.
    const callers = (isAgain && made.get(call.id)) || [];
    const last = callers.at(-1);
    if (last?.group === group) last.calls.push(one);
    else callers.push({ group, calls: [one], answered: 0 });
    made.set(call.id, callers);
  }
  part.group = group;
  if (ids.size === 0) return;
  const { index } = part.unit;
  if (!dialect.rename) throw unpaired(index, 'duplicate-call-id', [...ids.values()]);
  part.message = dialect.rename(part.message, ids, NONE);
  part.size = 0;
  report(index, 'duplicate-call-id', 'Gave the later call and its result a new id.');
}

function answerCalls<M>(dialect: Dialect<M>, part: Part<M>, made: CallsById<M>, report: Report): void {
  const { splitResponses, resultsTogether, merge } = dialect;
  const fits = ({ answers }: CallGroup<M>) =>
    splitResponses || (part.group ? part.group.answers === answers : !resultsTogether || merge || answers.length === 0);
  const ids = new Map<number, string>();
  for (const [at, { id }] of part.reading.results.entries()) {
    const callers = made.get(id);
    while (isAnswered(callers?.at(-1))) callers?.pop();
    const same = callers?.at(-1);
    const one = same?.calls[same.answered];
    if (same && one && fits(same.group)) {
      same.answered++;
      same.group.open--;
      one.answered = true;
      if (part.group !== same.group) same.group.answers.push(part);
      part.group = same.group;
      if (one.call.id !== id) ids.set(at, one.call.id);
    } else {
      part.strays.add(at);
      report(part.unit.index, callers ? 'double-result' : 'orphan-result', 'Quoted the result as text.');
    }
  }
  if (ids.size > 0 && dialect.rename) part.message = dialect.rename(part.message, NONE, ids);
  if (ids.size > 0 || part.strays.size > 0) part.size = 0;
}

function isAnswered<M>(same: SameIdCalls<M> | undefined): boolean {
  return same !== undefined && same.answered === same.calls.length;
}

/** The messages that a part becomes: the first has what answers calls, the others quote the rest. */
function withQuotes<M>(dialect: Dialect<M>, part: Part<M>): Part<M>[] {
  if (part.strays.size === 0) return [part];
  return dialect.quote(part.message, part.strays).map((message) => ({ ...part, message }));
}

function missingAnswers<M>(dialect: Dialect<M>, { group, unit }: Part<M>, report: Report, into?: M): Part<M>[] {
  if (!group || group.open === 0) return [];
  const open = group.made.flatMap(({ call, answered }) => (answered ? [] : call));
  const { index } = unit;
  report(index, 'unanswered-call', 'Added a result that says that there is none.');
  return dialect.answer(open, NO_RESULT, into).map((message) => {
    const reading = dialect.read(message);
    return { message, unit: { message, index }, reading, size: 0, group, strays: new Set() };
  });
}

/** Moves results right after the message with their calls. */
function moveToCalls<M>(dialect: Dialect<M>, parts: readonly Part<M>[], report: Report): Part<M>[] {
  const { resultsTogether, merge } = dialect;
  const out: Part<M>[] = [];
  const moved = new Set<Part<M>>();
  for (const [at, part] of parts.entries()) {
    if (moved.has(part)) continue;
    const quoted = withQuotes(dialect, part);
    out.push(...quoted);
    if (part.reading.results.length > 0 || !part.group) continue;
    const strays: Part<M>[] = [];
    const { answers } = part.group;
    let next = at + 1;
    for (const answer of answers) {
      moved.add(answer);
      const isNext = parts[next] === answer && (!resultsTogether || answer.unit === answers[0]?.unit);
      if (isNext) next++;
      else report(answer.unit.index, 'interrupted-call', 'Moved the result to its call.');
      const [kept, ...rest] = withQuotes(dialect, answer);
      if (kept) out.push(kept);
      strays.push(...rest);
    }
    const into = resultsTogether && !merge && answers.length > 0 ? out.at(-1)?.message : undefined;
    const added = missingAnswers(dialect, part, report, into);
    if (into !== undefined && added.length > 0) out.pop();
    out.push(...added, ...strays);
  }
  return out;
}

/** Leaves results where they are, anywhere after their call, but never inside a response. */
function leaveInPlace<M>(dialect: Dialect<M>, parts: readonly Part<M>[], report: Report): Part<M>[] {
  const out: Part<M>[] = [];
  let open: Part<M>[] = [];
  for (const part of parts) {
    if (part.reading.role !== 'assistant') {
      for (const answer of open) out.push(answer);
      open = [];
    }
    out.push(...withQuotes(dialect, part));
    if (part.reading.results.length === 0) open.push(...missingAnswers(dialect, part, report));
  }
  return [...out, ...open];
}

/** Joins parts of the same message again, and all results for a message if they must be together. */
function join<M>(dialect: Dialect<M>, parts: readonly Part<M>[]): Unit<M>[] {
  const out: Unit<M>[] = [];
  for (let i = 0; i < parts.length; ) {
    const first = parts[i++] as Part<M>;
    const chunk = [first];
    const units = new Set([first.unit]);
    const group = first.reading.results.length > 0 ? first.group : undefined;
    while (dialect.merge && i < parts.length) {
      const next = parts[i] as Part<M>;
      if (!units.has(next.unit) && !(dialect.resultsTogether && group && next.group === group)) break;
      units.add(next.unit);
      chunk.push(next);
      i++;
    }
    const isWhole = units.size === 1 && chunk.every(({ size }) => size === chunk.length);
    const merged = chunk.length > 1 && !isWhole && dialect.merge?.(chunk.map(({ message }) => message));
    out.push(isWhole ? first.unit : { message: merged || first.message, index: first.unit.index });
  }
  return out;
}
