import { contentText } from '../content.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { callFacts } from '../text/calls.ts';

/** A text of a file that left the view: what a call read, or what it wrote. */
export interface FileRecord {
  /** Index of the message that contains it, and of the result in that message if it has several. */
  readonly at: number;
  readonly part?: number;
  readonly written: boolean;
  readonly text: string;
  /** What the call replaced by it. */
  readonly replaced: string;
}

/** Looks up the reading of an original by its index in the history; undefined if it is lost. */
export type ReadingAt = (index: number) => Promise<Reading | undefined>;

/** The reading of each original, which is looked up once. */
export function readingsOf<M>(dialect: Dialect<M>, original: (index: number) => Promise<M | undefined>): ReadingAt {
  const known = new Map<number, Promise<Reading | undefined>>();
  return (index) => {
    const read = async () => {
      const message = await original(index);
      return message === undefined ? undefined : dialect.read(message);
    };
    const reading = known.get(index) ?? read();
    known.set(index, reading);
    return reading;
  };
}

/** Most messages between a call and its result: a response may have many calls. */
const REACH = 16;

/** What calls read of a file and wrote to it, by the index of the message with the calls or of one with their results. */
export async function recordsAt(file: string, index: number, readingAt: ReadingAt): Promise<FileRecord[]> {
  const { results = [] } = (await readingAt(index)) ?? {};
  const at = results.length === 0 ? index : await callsBefore(index, readingAt);
  const { calls = [] } = (await readingAt(at)) ?? {};
  const records: FileRecord[] = [];
  for (const [i, call] of calls.entries()) {
    const uses = callFacts(call).uses.filter((use) => isSameFile(use.file, file));
    for (const { put, replaced = [] } of uses)
      if (put) records.push({ at, written: true, text: put.join('\n'), replaced: replaced.join('\n') });
    if (!uses.some(({ use }) => use === 'read')) continue;
    // Results are often in the order of their calls.
    for (const place of new Set([index, at + 1 + i, at + 1, ...calls.map((_, j) => at + 2 + j)])) {
      const found = place > at ? await resultIn(call.id, place, readingAt) : undefined;
      if (!found) continue;
      records.push(found);
      break;
    }
  }
  return records;
}

/** The index of the message with the calls of these results. */
async function callsBefore(index: number, readingAt: ReadingAt): Promise<number> {
  let at = index - 1;
  while (index - at < REACH && (await readingAt(at))?.results.length) at--;
  return at;
}

async function resultIn(id: string, at: number, readingAt: ReadingAt): Promise<FileRecord | undefined> {
  const { results = [] } = (await readingAt(at)) ?? {};
  const part = results.findIndex((result) => result.id === id);
  if (part < 0) return undefined;
  const place = results.length > 1 ? { at, part } : { at };
  return { ...place, written: false, text: contentText(results[part]?.content), replaced: '' };
}

/** True if one path ends with the other: agents and users write longer and shorter paths for the same file. */
export function isSameFile(one: string, other: string): boolean {
  const [long, short] = one.length >= other.length ? [one, other] : [other, one];
  return long.endsWith(short) && (long.length === short.length || long.at(-short.length - 1) === '/');
}
