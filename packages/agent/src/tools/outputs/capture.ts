import type { ToolContext } from '../../providers/provider.ts';
import { messageOf } from '../failure.ts';
import type { OutputStore, OutputWriter } from './outputs.ts';
import { partOf } from './outputs.ts';

/** Takes an output of any length and holds no more of it than is shown. */
export interface Capture {
  write(bytes: Buffer): void;
  /** What is shown: all of it, or its beginning and end and a line that names the handle of the rest. */
  end(): string;
}

// The two lines that say what is not shown.
const LINES = 200;

/**
 * Captures one output; what is over `max` characters goes to the store as it comes. Keys in use are taken out first, so that
 * neither the store nor a cut has a part of one.
 */
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
  const keep = (bytes: Buffer) => {
    // Three bytes more than are shown, so that a cut never falls into a character.
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
      const first = Buffer.concat(head);
      const start = partOf(first, 0, 0, half, total);
      const last = partOf(tail, total - tail.length, total - half, half, total);
      return `${start.text}\n[… ${last.from - start.to} bytes are not shown …]\n${last.text}\n${pointer(writer.handle, total, kept, start.to)}`;
    },
  };
}

/** The line that ends a shortened result. Pure. */
function pointer(handle: string, total: number, kept: number, next: number): string {
  const lost = kept < total ? `, the first ${kept} of them kept` : '';
  return `[output ${handle}: ${total} bytes in all${lost}; recall {"handle":"${handle}","offset":${next}} shows more]`;
}

/** A text as a result: whole, or shortened with a handle. A store that throws costs the rest, not the result. */
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
