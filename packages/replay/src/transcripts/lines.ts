import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { Tell } from './recording.ts';

/** Longer lines are skipped: no message is that long, and parsing takes several times the memory. */
export const LONGEST_LINE: number = 32 * 2 ** 20;

/** A line of a file; numbers start at 1. */
interface Line {
  readonly number: number;
  readonly text: string;
}

const NEWLINE = 10;

/**
 * The lines of a file that are not blank, one at a time; only the current one is in memory. Detects UTF-16; replaces bytes
 * that are not UTF-8, with a remark. Rejects if the file cannot be read.
 */
export async function* readLines(
  path: string,
  tell: Tell,
  onBytes: (bytes: number) => void = () => {},
  longest: number = LONGEST_LINE,
): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): string | undefined => {
    const bytes = Buffer.concat(parts);
    const [whole, at] = [length, number];
    parts = [];
    length = 0;
    number += 1;
    if (whole > longest) {
      tell(at, `skipped a line of ${megabytes(whole)} MB: the limit is ${megabytes(longest)} MB`);
      return undefined;
    }
    if (!isUtf8(bytes)) tell(at, 'replaced bytes that are not UTF-8');
    const text = bytes.toString('utf8');
    return text.trim() === '' ? undefined : text;
  };
  const add = (part: Buffer) => {
    length += part.length;
    if (length <= longest) parts.push(part);
    else parts = [];
  };
  for await (const chunk of utf8Chunks(path, tell, onBytes)) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      add(chunk.subarray(from, end));
      from = end + 1;
      const at = number;
      const text = take();
      if (text !== undefined) yield { number: at, text };
    }
    add(chunk.subarray(from));
  }
  const at = number;
  const text = length > 0 ? take() : undefined;
  if (text !== undefined) yield { number: at, text };
}

/** The file's bytes as UTF-8, without a byte order mark. */
async function* utf8Chunks(path: string, tell: Tell, onBytes: (bytes: number) => void): AsyncGenerator<Buffer> {
  let decoder: { decode(bytes: Buffer, options: { stream: boolean }): string } | undefined;
  let isFirst = true;
  for await (const read of createReadStream(path, { highWaterMark: 2 ** 18 }) as AsyncIterable<Buffer>) {
    let chunk = read;
    onBytes(read.length);
    if (isFirst) {
      isFirst = false;
      const order = utf16Of(chunk);
      if (order) {
        tell(0, `read the file as ${order}`);
        decoder = new TextDecoder(order);
      } else if (chunk.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) chunk = chunk.subarray(3);
    }
    yield decoder ? Buffer.from(decoder.decode(chunk, { stream: true })) : chunk;
  }
}

function utf16Of(start: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const [a, b, c, d] = start;
  if ((a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)) return 'utf-16le';
  return (a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0) ? 'utf-16be' : undefined;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(bytes < 10 * 2 ** 20 ? 1 : 0);
}
