import { isObservation, textActions } from '../calls/text-actions.ts';
import type { Call, Dialect, Reading } from '../dialect.ts';
import { type RawTurn, type ReadMessages, turnAt } from '../turns/read-turns.ts';

function idOf(at: number, i: number): string {
  return `text-${at}-${i}`;
}

/** The calls that an assistant wrote into the words of the message at this index, for agents without tool calls. */
function callsIn<M>(dialect: Dialect<M>, message: M, { role, words, calls }: Reading, at: number): readonly Call[] {
  if (calls[0]?.spoken) return calls;
  if (role !== 'assistant' || !words || calls.length > 0) return [];
  return textActions(dialect.text(message)).map((action, i) => ({ ...action, id: idOf(at, i), spoken: true }));
}

/** True for a user message of nothing but words. */
function isWords({ role, words, results, mediaSizes }: Reading): boolean {
  return role === 'user' && words && results.length === 0 && !mediaSizes;
}

/** The words of a message as the result of a call in the words of the message at an index. */
function asResult<M>(dialect: Dialect<M>, message: M, reading: Reading, at: number, call: number): Reading {
  return { ...reading, words: false, results: [{ id: idOf(at, call), content: dialect.text(message), error: false }] };
}

/** True if the next message is what a tool answered to a call in the words of this turn. */
export function answersText<M>(dialect: Dialect<M>, turn: RawTurn<M>, message: M, reading: Reading): boolean {
  const { from, messages, readings } = turn;
  if (!isWords(reading) || !isObservation(dialect.text(message))) return false;
  return callsIn(dialect, messages[0] as M, readings[0] as Reading, from).length >= messages.length;
}

/** The same messages, where a call in the assistant's words and what was answered to it are one turn, as with other calls. */
export function joinAnswers<M>(dialect: Dialect<M>, read: ReadMessages<M>): ReadMessages<M> {
  const starts: number[] = [];
  for (const at of read.starts) {
    const reading = read.readings[at - read.start] as Reading;
    const answers =
      reading.role === 'user' &&
      starts.length > 0 &&
      answersText(dialect, turnAt({ ...read, starts: [...starts.slice(-1), at] }, 0), read.messages[at] as M, reading);
    if (!answers) starts.push(at);
  }
  return starts.length === read.starts.length ? read : { ...read, starts };
}

/** The turn with the calls in its words, and what was answered to them, as calls and results. */
export function withTextCalls<M>(dialect: Dialect<M>, turn: RawTurn<M>): RawTurn<M> {
  const { from, messages, readings } = turn;
  if (readings.length < 2 || readings.at(-1)?.role !== 'user') return turn;
  const calls = callsIn(dialect, messages[0] as M, readings[0] as Reading, from);
  if (calls.length === 0) return turn;
  const read = (reading: Reading, i: number): Reading => {
    if (i === 0) return { ...reading, calls };
    return isWords(reading) ? asResult(dialect, messages[i] as M, reading, from, i - 1) : reading;
  };
  return { from, messages, readings: readings.map(read) };
}

/** What the message at this index says by itself: the calls in its words, or what it answers to the message before it. */
export function readWithText<M>(dialect: Dialect<M>, message: M, at: number): Reading {
  const reading = dialect.read(message);
  const calls = callsIn(dialect, message, reading, at);
  if (calls.length > 0) return { ...reading, calls };
  return isWords(reading) && isObservation(dialect.text(message))
    ? asResult(dialect, message, reading, at - 1, 0)
    : reading;
}
