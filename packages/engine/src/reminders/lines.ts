import type { Dialect, Reading } from '../dialect.ts';
import type { View } from '../view/view.ts';
import { messageTexts } from '../view/view-turn.ts';

/** In a text, media appear as their type, on a line that nobody wrote. */
const MEDIA_LINE = /^\[[\w-]*(?:image|document|file|audio)[\w-]*\]\n?/gm;

/** A text without the lines that stand for media. Pure. */
export function withoutMedia(text: string): string {
  return text.replace(MEDIA_LINE, '');
}

/** The number that a tool shows before a line of a file. */
const NUMBER = /^[ \t]{0,12}(\d{1,7})(?:→|\t|\||:)[ ]?/;

/** A line as an edit would repeat it: without its number and without outer white space. Pure. */
export function lineKey(line: string): string {
  return line.replace(NUMBER, '').trim();
}

/** The number that a tool showed before the line. */
export function lineNumber(line: string): number | undefined {
  const match = NUMBER.exec(line);
  return match ? Number(match[1]) : undefined;
}

/** Shorter lines, such as braces, are in every file: they neither count as missing nor as found. */
export const LEAST_CHARS = 8;

/** The lines of a text that are long enough to be looked for. */
export function lineKeys(text: string): Set<string> {
  const keys = new Set<string>();
  for (const line of text.split('\n')) {
    const key = lineKey(line);
    if (key.length >= LEAST_CHARS) keys.add(key);
  }
  return keys;
}

const known = new WeakMap<object, ReadonlySet<string>>();

/** The lines of a message, read once. */
function messageLines<M>(dialect: Dialect<M>, message: M, reading: Reading): ReadonlySet<string> {
  let keys = known.get(message as object);
  if (!keys) {
    keys = lineKeys(messageTexts(dialect, message, reading).join('\n'));
    known.set(message as object, keys);
  }
  return keys;
}

/** Says whether the view shows a line, in a message, in its note or in a reminder. */
export function linesShown<M>(dialect: Dialect<M>, { turns, note }: View<M>): (key: string) => boolean {
  const sets: ReadonlySet<string>[] = note ? [lineKeys(note.text)] : [];
  for (const { messages, readings, reminder } of turns) {
    messages.forEach((message, i) => {
      sets.push(messageLines(dialect, message, readings[i] as Reading));
    });
    if (reminder) sets.push(lineKeys(reminder.text));
  }
  return (key) => sets.some((keys) => keys.has(key));
}
