import { readNote } from 'holdfast';
import type { CrewMessage } from '../config/config.ts';
import { isNote } from '../history/note.ts';

/** What others' tools gave is shown so far. Supported by no measurement. */
export const MOST_OF_RESULT = 2_000;
/** Names and marks around the words of a message. */
const AROUND = 12;

/** About as many characters as agents are told for these messages; a note, which stands for others, not counted. Pure. */
export function toldChars(messages: readonly CrewMessage[]): number {
  let chars = 0;
  for (const message of messages) if (!isNote(message)) chars += charsOf(message);
  return chars;
}

/** All that was ever said up to this history, as far as it tells: what a note stands for is like what is left. Pure. */
export function saidIn(history: readonly CrewMessage[]): number {
  const chars = toldChars(history);
  const note = history.findLast(isNote);
  const words = history.filter((message) => !isNote(message)).length;
  return note === undefined || words === 0 ? chars : chars + (chars / words) * readNote(note.content).dropped;
}

function charsOf(message: CrewMessage): number {
  const { content } = message;
  if (message.role === 'tool') return Math.min(content.length, MOST_OF_RESULT) + AROUND;
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.reduce(
    (sum, { function: { name, arguments: args } }) => sum + name.length + args.length + AROUND,
    content.length + AROUND,
  );
}
