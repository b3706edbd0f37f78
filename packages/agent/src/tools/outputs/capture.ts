import type { ToolContext } from '../../providers/provider.ts';
import { messageOf } from '../failure.ts';
import { type OutputStore, type OutputWriter, partOf } from './outputs.ts';

/** Collects output of any length while holding only what will be shown. */
export interface Capture {
  write(bytes: Uint8Array): void;
  /** The text to show: all of it, or its beginning and end plus a line with the handle for the rest. */
  end(): string;
}

// Room for the two lines that say what was left out.
const LINES = 200;

/** Captures one output; beyond `max` characters it goes to the store. Redacts keys first, so that no cut splits one. */
export function capture(outputs: OutputStore, max: number, redactor?: ToolContext['redactor']): Capture {
  const captured = plainCapture(outputs, max);
  const filter = redactor?.bytes();
  if (filter === undefined) return captured;
  return {
    write: (bytes) => captured.write(Buffer.from(filter.write(bytes))),
    end() {
      captured.write(Buffer.from(filter.end()));
      return captured.end();
    },
  };
}

function plainCapture(outputs: OutputStore, max: number): Capture {
  const half = Math.max(1, Math.floor((max - LINES) / 2));
  const head: Buffer[] = [];
  let headSize = 0;
  let tail = Buffer.alloc(0);
  let total = 0;
  let writer: OutputWriter | undefined;
  const keep = (bytes: Uint8Array) => {
    // Three spare bytes, so that a cut never splits a character.
    tail = Buffer.from(Buffer.concat([tail, bytes.subarray(-(half + 3))]).subarray(-(half + 3)));
  };
  return {
    write(bytes) {
      total += bytes.length;
      if (writer === undefined) {
        if (total <= max) {
          head.push(Buffer.from(bytes));
          headSize += bytes.length;
          return;
        }
        writer = outputs.create();
        const before = Buffer.concat(head, headSize);
        writer.write(before);
        const start = Buffer.concat([before, bytes.subarray(0, half + 3)]).subarray(0, half + 3);
        head.splice(0, head.length, Buffer.from(start));
        keep(before);
      }
      writer.write(bytes);
      keep(bytes);
    },
    end() {
      if (writer === undefined) return Buffer.concat(head, headSize).toString('utf8');
      const kept = writer.end();
      const { handle } = writer;
      const start = partOf(Buffer.concat(head), 0, 0, half, total);
      const last = partOf(tail, total - tail.length, total - half, half, total);
      const lost = kept < total ? `, only the first ${kept} kept` : '';
      const pointer = `[output ${handle}: ${total} bytes in total${lost}; recall {"handle":"${handle}","offset":${start.to}} shows more]`;
      return `${start.text}\n[… ${last.from - start.to} bytes not shown …]\n${last.text}\n${pointer}`;
    },
  };
}

/** What `end` writes instead of the middle, up to the line with the handle. */
const GAP =
  /\n\[… (\d+) bytes not shown …\]\n([\s\S]*?)\n\[output (o\d+): \d+ bytes in total[^\n]*"offset":(\d+)\} shows more\]/g;

/** A result with what was left out of it, as far as `stored` has that output. Pure. */
export function filledOutput(result: string, stored: (handle: string) => string | undefined): string {
  return result.replace(GAP, (all, size: string, end: string, handle: string, from: string) => {
    const output = stored(handle);
    if (output === undefined) return all;
    const bytes = Buffer.from(output).subarray(Number(from), Number(from) + Number(size));
    return `${bytes.toString('utf8')}${end}`;
  });
}

/** A text as a result: in full, or shortened with a handle. If the store throws, only the rest is lost. */
export function capped(given: string, outputs: OutputStore, max: number, redactor?: ToolContext['redactor']): string {
  const text = redactor?.text(given) ?? given;
  if (text.length <= max && Buffer.byteLength(text) <= max) return text;
  try {
    const all = capture(outputs, max);
    all.write(Buffer.from(text));
    return all.end();
  } catch (error) {
    const { text: start } = partOf(Buffer.from(text), 0, 0, Math.max(1, max - LINES), text.length);
    return `${start}\n[the rest could not be kept: ${messageOf(error).slice(0, LINES / 2)}]`;
  }
}
