import { isUtf8 } from 'node:buffer';
import { maskSecrets } from 'holdfast';
import type { OutputStore, OutputWriter } from './outputs.ts';

/** What is masked at once, and what of it waits for the next bytes, which may be the rest of a key. */
const BLOCK = 256 * 2 ** 10;
const HELD = 64 * 2 ** 10;
/** A key that is longer than this, as only a hostile output has it, is cut. */
const MOST = 8 * 2 ** 20;

/**
 * The same store, but what looks like a key is masked before it is written. Offsets stay what they were: blanks stand for what
 * a mask is shorter.
 */
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
      // A copy: the caller may use its buffer again.
      waiting.push(Buffer.from(bytes));
      size += bytes.length;
      if (size < enough) return;
      const all = Buffer.concat(waiting, size);
      const end = wholeEnd(all);
      if (end > 0) writer.write(masked(all.subarray(0, end)));
      waiting = [all.subarray(end)];
      size -= end;
      // A long key is looked at again only when there is twice as much of it.
      enough = Math.max(BLOCK, 2 * size);
    },
    end() {
      if (size > 0) writer.write(masked(Buffer.concat(waiting, size)));
      [waiting, size] = [[], 0];
      return writer.end();
    },
  };
}

/** Where the bytes can be cut: in no key, behind a line if there is one near. 0: nowhere yet. */
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

/** As many bytes as before. */
function masked(bytes: Buffer): Buffer {
  // Bytes that are no text stay as they are.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const before = bytes.toString(encoding);
  const after = maskSecrets(before, (secret, usual) => {
    return usual + ' '.repeat(Math.max(0, Buffer.byteLength(secret, encoding) - usual.length));
  });
  return after === before ? bytes : Buffer.from(after, encoding);
}
