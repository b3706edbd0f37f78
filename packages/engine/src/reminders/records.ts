import { callFacts } from '../calls/call-facts.ts';
import { contentText } from '../content/text.ts';
import type { Dialect, Reading } from '../dialect.ts';
import { isSamePath, isWhole } from '../note/ledger.ts';
import { readWithText } from '../view/text-calls.ts';
import { withoutMedia } from './lines.ts';

/** A text of a file that left the view: what a call read, or what it wrote. */
export interface FileRecord {
  /** Index of the message that contains it, and of the result in that message if it has several. */
  readonly at: number;
  readonly part?: number;
  readonly written: boolean;
  readonly text: string;
  /** What the call replaced by it. */
  readonly replaced: string;
  /** It is the whole file. */
  readonly whole: boolean;
}

/** Looks up the reading of an original by its index in the history; undefined if it is lost. */
export type ReadingAt = (index: number) => Promise<Reading | undefined>;

/** The reading of each original, which is looked up once. */
export function readingsOf<M>(dialect: Dialect<M>, original: (index: number) => Promise<M | undefined>): ReadingAt {
  const known = new Map<number, Promise<Reading | undefined>>();
  return (index) => {
    const read = async () => {
      const message = await original(index);
      return message === undefined ? undefined : readWithText(dialect, message, index);
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
    const { uses: all, command } = callFacts(call);
    const uses = all.filter((use) => isSamePath(use.file, file));
    if (uses.length === 0) continue;
    // Results are often in the order of their calls.
    const places = new Set([index, at + 1 + i, at + 1, ...calls.map((_, j) => at + 2 + j)]);
    const result = await resultOf(
      call.id,
      [...places].filter((place) => place > at),
      readingAt,
    );
    if (!result || hasFailed(result)) continue;
    for (const { use, put, replaced = [] } of uses)
      if (put) {
        const text = put.join('\n');
        records.push({ at, written: true, text, replaced: replaced.join('\n'), whole: use === 'create' });
      } else if (use !== 'read' && use !== 'search')
        // Changed by a command that does not show how: what was known before may be out of date.
        records.push({ at, written: true, text: '', replaced: '', whole: true });
    const reads = uses.filter(({ use }) => use === 'read');
    const { content: _, error: __, ...place } = result;
    const text = withoutMedia(contentText(result.content));
    const isFile = command === undefined && reads.every(({ lines }) => !lines);
    const whole = isFile && isWhole([place.at, 0, text.split('\n').length]);
    if (reads.length > 0) records.push({ ...place, written: false, text, replaced: '', whole });
  }
  return records;
}

/** How tools begin if they have changed nothing, in formats that do not mark failures. */
const FAILURE =
  /^\W{0,3}(?:<?tool_use_error|error|failed|failure|invalid|cannot|could not|unable|no (?:match|replacement)|string to replace)/i;

function hasFailed({ content, error }: { readonly content: unknown; readonly error: boolean }): boolean {
  return error || FAILURE.test(contentText(content).slice(0, 80));
}

/** The index of the message with the calls of these results. */
async function callsBefore(index: number, readingAt: ReadingAt): Promise<number> {
  let at = index - 1;
  while (index - at < REACH && (await readingAt(at))?.results.length) at--;
  return at;
}

/** The result of a call in the first of these messages that has it. */
async function resultOf(id: string, places: readonly number[], readingAt: ReadingAt) {
  for (const at of places) {
    const { results = [] } = (await readingAt(at)) ?? {};
    const part = results.findIndex((result) => result.id === id);
    const { content, error = false } = results[part] ?? {};
    if (part >= 0) return { content, error, at, ...(results.length > 1 ? { part } : {}) };
  }
  return undefined;
}
