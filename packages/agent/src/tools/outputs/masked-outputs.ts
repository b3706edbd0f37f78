import { isUtf8 } from 'node:buffer';
import { maskSecrets } from 'holdfast';
import type { OutputStore, OutputWriter } from './outputs.ts';

/** Bytes masked in one go, and how many of them wait for the next bytes, which may complete a key. */
const BLOCK = 256 * 2 ** 10;
const HELD = 64 * 2 ** 10;
/** Keys longer than this are cut; only hostile output contains them. */
const MOST = 8 * 2 ** 20;

/** The same store, but masks what looks like a key before writing it, padded with spaces, so that offsets stay the same. */
export function maskedOutputs(outputs: OutputStore): OutputStore {
  return { create: () => maskedWriter(outputs.create()), read: (...asked) => outputs.read(...asked) };
}

function maskedWriter(writer: OutputWriter): OutputWriter {
  let waiting: Buffer[] = [];
  let size = 0;
  let enough = BLOCK;
  return {
    handle: writer.handle,
    write(bytes) {
      // Copied, because the caller may reuse its buffer.
      waiting.push(Buffer.from(bytes));
      size += bytes.length;
      if (size < enough) return;
      const all = Buffer.concat(waiting, size);
      const end = wholeEnd(all);
      if (end > 0) writer.write(masked(all.subarray(0, end)));
      waiting = [all.subarray(end)];
      size -= end;
      // Look at a long key again only once it has doubled.
      enough = Math.max(BLOCK, 2 * size);
    },
    end() {
      if (size > 0) writer.write(masked(Buffer.concat(waiting, size)));
      [waiting, size] = [[], 0];
      return writer.end();
    },
  };
}

/** Where the bytes can be cut without splitting a key, preferably after a line. 0 if nowhere yet. */
function wholeEnd(all: Buffer): number {
  const whole = masked(all);
  for (let at = all.length - HELD; at > 0; at -= HELD / 4) {
    const line = all.lastIndexOf(0x0a, at) + 1;
    const end = line > at - HELD / 4 && line > 0 ? line : characterEnd(all, at);
    if (end > 0 && Buffer.concat([masked(all.subarray(0, end)), masked(all.subarray(end))]).equals(whole)) return end;
  }
  return all.length < MOST ? 0 : characterEnd(all, all.length - HELD);
}

function characterEnd(all: Buffer, at: number): number {
  let end = at;
  while (end > 0 && ((all[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

/** Keeps the number of bytes. */
function masked(bytes: Buffer): Buffer {
  // Latin-1 keeps bytes that are not text unchanged.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const before = bytes.toString(encoding);
  const after = maskSecrets(before, (secret, usual) => {
    return usual + ' '.repeat(Math.max(0, Buffer.byteLength(secret, encoding) - usual.length));
  });
  return after === before ? bytes : Buffer.from(after, encoding);
}
