import type { Call, Dialect, Reading } from '../dialect.ts';
import { readAt, readTurns, unpaired } from '../turns/read-turns.ts';
import { TakenIds } from './taken-ids.ts';

/** A message on its way into a repaired history, and the place in the input that it comes from. */
export interface Unit<M> {
  readonly message: M;
  readonly index: number;
}

/** Told what was done to the message at a place of the input, and by which rule. */
export type Tell = (index: number, rule: string, done: string) => void;

/** A message, or one result of it or its words, where the dialect can take it apart. */
interface Part<M> {
  message: M;
  readonly unit: Unit<M>;
  readonly reading: Reading;
  /** How many parts its message has; 0 once it is changed. */
  size: number;
  /** The calls that it makes or answers. */
  home?: Home<M>;
  /** Its results that answer nothing. */
  readonly strays: Set<number>;
}

/** The calls of a message and what answers them. */
interface Home<M> {
  readonly made: Made[];
  /** How many of them have no result. */
  open: number;
  readonly answers: Part<M>[];
}

interface Made {
  readonly call: Call;
  answered: boolean;
}

/** The calls of one message that have the same id, in order; the first `answered` of them have results. */
interface Namesakes<M> {
  readonly home: Home<M>;
  readonly calls: Made[];
  answered: number;
}

/** Who may be answered by a result with this id: those of the newest message come last. */
type Callers<M> = Map<string, Namesakes<M>[]>;

const NO_RESULT = '[No result was recorded for this call]';
const NONE: ReadonlyMap<number, string> = new Map();

/**
 * The messages with each call answered once and in its place, and all else kept as text. `used` holds the ids of earlier
 * calls, where no two may be the same, and gets those of these. Throws INVALID_HISTORY for an id that must be, and cannot be, changed.
 */
export function pairUp<M>(
  dialect: Dialect<M>,
  units: readonly Unit<M>[],
  used: TakenIds,
  tell: Tell,
): readonly Unit<M>[] {
  if (isPaired(dialect, units, used)) return units;
  const parts = units.flatMap((unit) => partsOf(dialect, unit));
  const made: Callers<M> = new Map();
  const { uniqueCallIds, splitResponses, rename } = dialect;
  // A result may come much later: until then the id of its call is taken.
  const isUnique = uniqueCallIds || (splitResponses && rename);
  let taken = used;
  let home: Home<M> | undefined;
  for (const part of parts) {
    const { role, calls, results } = part.reading;
    const goesOn = splitResponses && role === 'assistant' && taken !== used;
    if (!isUnique && !goesOn) taken = new TakenIds();
    if (results.length > 0) answerCalls(dialect, part, made, tell);
    else if (calls.length > 0) makeCalls(dialect, part, made, taken, tell);
    // A tool message without results holds approvals of the calls before it that have none yet.
    else if (role === 'tool' && home && home.open > 0) {
      home.answers.push(part);
      part.home = home;
    }
    if (role !== 'tool' || part.home !== home) home = role === 'tool' ? undefined : part.home;
  }
  return join(dialect, (splitResponses ? inPlace : atTheirCalls)(dialect, parts, tell));
}

/** True if there is nothing to do, which is the rule: then no message is taken apart. */
function isPaired<M>(dialect: Dialect<M>, units: readonly Unit<M>[], used: TakenIds): boolean {
  const ids = new Set<string>();
  let calls = 0;
  try {
    const messages = units.map(({ message }) => message);
    for (const { readings } of readTurns(dialect, messages, 0, 0)) {
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

function makeCalls<M>(dialect: Dialect<M>, part: Part<M>, made: Callers<M>, taken: TakenIds, tell: Tell): void {
  const home: Home<M> = { made: [], open: part.reading.calls.length, answers: [] };
  const ids = new Map<number, string>();
  for (const [at, call] of part.reading.calls.entries()) {
    const id = taken.take(call.id);
    const one = { call: { ...call, id }, answered: false };
    home.made.push(one);
    const isAgain = id !== call.id;
    if (isAgain) ids.set(at, id);
    // Where an id may come again, what follows it answers the newer call.
    const callers = (isAgain && made.get(call.id)) || [];
    const last = callers.at(-1);
    if (last?.home === home) last.calls.push(one);
    else callers.push({ home, calls: [one], answered: 0 });
    made.set(call.id, callers);
  }
  part.home = home;
  if (ids.size === 0) return;
  const { index } = part.unit;
  if (!dialect.rename) throw unpaired(index, 'duplicate-call-id', [...ids.values()]);
  part.message = dialect.rename(part.message, ids, NONE);
  part.size = 0;
  tell(index, 'duplicate-call-id', 'The later call and its result got an id of their own.');
}

function answerCalls<M>(dialect: Dialect<M>, part: Part<M>, made: Callers<M>, tell: Tell): void {
  const { splitResponses, resultsTogether, merge } = dialect;
  const fits = ({ answers }: Home<M>) =>
    splitResponses || (part.home ? part.home.answers === answers : !resultsTogether || merge || answers.length === 0);
  const ids = new Map<number, string>();
  for (const [at, { id }] of part.reading.results.entries()) {
    const callers = made.get(id);
    while (isDone(callers?.at(-1))) callers?.pop();
    const same = callers?.at(-1);
    const one = same?.calls[same.answered];
    if (same && one && fits(same.home)) {
      same.answered++;
      same.home.open--;
      one.answered = true;
      if (part.home !== same.home) same.home.answers.push(part);
      part.home = same.home;
      if (one.call.id !== id) ids.set(at, one.call.id);
    } else {
      part.strays.add(at);
      tell(part.unit.index, callers ? 'double-result' : 'orphan-result', 'The result is quoted as text.');
    }
  }
  if (ids.size > 0 && dialect.rename) part.message = dialect.rename(part.message, NONE, ids);
  if (ids.size > 0 || part.strays.size > 0) part.size = 0;
}

function isDone<M>(same: Namesakes<M> | undefined): boolean {
  return same !== undefined && same.answered === same.calls.length;
}

/** The messages that a part has become: the first holds what answers calls, the others quote what does not. */
function withQuotes<M>(dialect: Dialect<M>, part: Part<M>): Part<M>[] {
  if (part.strays.size === 0) return [part];
  return dialect.quote(part.message, part.strays).map((message) => ({ ...part, message }));
}

function answersTo<M>(dialect: Dialect<M>, { home, unit }: Part<M>, tell: Tell, into?: M): Part<M>[] {
  if (!home || home.open === 0) return [];
  const open = home.made.flatMap(({ call, answered }) => (answered ? [] : call));
  const { index } = unit;
  tell(index, 'unanswered-call', 'The call got a result that says that there is none.');
  return dialect.answer(open, NO_RESULT, into).map((message) => {
    const reading = dialect.read(message);
    return { message, unit: { message, index }, reading, size: 0, home, strays: new Set() };
  });
}

/** Results right behind the message with their calls. */
function atTheirCalls<M>(dialect: Dialect<M>, parts: readonly Part<M>[], tell: Tell): Part<M>[] {
  const { resultsTogether, merge } = dialect;
  const out: Part<M>[] = [];
  const moved = new Set<Part<M>>();
  for (const [at, part] of parts.entries()) {
    if (moved.has(part)) continue;
    const quoted = withQuotes(dialect, part);
    out.push(...quoted);
    if (part.reading.results.length > 0 || !part.home) continue;
    const strays: Part<M>[] = [];
    const { answers } = part.home;
    let next = at + 1;
    for (const answer of answers) {
      moved.add(answer);
      const isNext = parts[next] === answer && (!resultsTogether || answer.unit === answers[0]?.unit);
      if (isNext) next++;
      else tell(answer.unit.index, 'interrupted-call', 'The result is moved to its call.');
      const [kept, ...rest] = withQuotes(dialect, answer);
      if (kept) out.push(kept);
      strays.push(...rest);
    }
    const into = resultsTogether && !merge && answers.length > 0 ? out.at(-1)?.message : undefined;
    const added = answersTo(dialect, part, tell, into);
    if (into !== undefined && added.length > 0) out.pop();
    out.push(...added, ...strays);
  }
  return out;
}

/** Results where they stand, which may be anywhere behind their call; a response is not parted by an answer. */
function inPlace<M>(dialect: Dialect<M>, parts: readonly Part<M>[], tell: Tell): Part<M>[] {
  const out: Part<M>[] = [];
  let open: Part<M>[] = [];
  for (const part of parts) {
    if (part.reading.role !== 'assistant') {
      for (const answer of open) out.push(answer);
      open = [];
    }
    out.push(...withQuotes(dialect, part));
    if (part.reading.results.length === 0) open.push(...answersTo(dialect, part, tell));
  }
  return [...out, ...open];
}

/** Parts of a message that stand together become it again, and all results for a message are one, where they must be. */
function join<M>(dialect: Dialect<M>, parts: readonly Part<M>[]): Unit<M>[] {
  const out: Unit<M>[] = [];
  for (let i = 0; i < parts.length; ) {
    const first = parts[i++] as Part<M>;
    const chunk = [first];
    const units = new Set([first.unit]);
    const home = first.reading.results.length > 0 ? first.home : undefined;
    while (dialect.merge && i < parts.length) {
      const next = parts[i] as Part<M>;
      if (!units.has(next.unit) && !(dialect.resultsTogether && home && next.home === home)) break;
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
