import { maskSecrets } from 'holdfast';
import type { OutputStore, OutputWriter } from './outputs.ts';

/** What is masked at once, and what of it waits for the next: longer than any key that is recognized. */
const BLOCK = 256 * 2 ** 10;
const HELD = 64 * 2 ** 10;

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
  return {
    handle: writer.handle,
    write(bytes) {
      // A copy: the caller may use its buffer again.
      waiting.push(Buffer.from(bytes));
      size += bytes.length;
      if (size < BLOCK) return;
      const all = Buffer.concat(waiting, size);
      const end = wholeEnd(all);
      writer.write(masked(all.subarray(0, end)));
      waiting = [all.subarray(end)];
      size -= end;
    },
    end() {
      if (size > 0) writer.write(masked(Buffer.concat(waiting, size)));
      [waiting, size] = [[], 0];
      return writer.end();
    },
  };
}

/** Where a block can be cut: behind a line, and in no key. */
function wholeEnd(all: Buffer): number {
  const text = (from: number, to: number) => all.toString('utf8', from, to);
  for (let at = all.length - HELD; at > HELD; at -= HELD / 4) {
    const end = all.lastIndexOf(0x0a, at) + 1;
    const [from, to] = [Math.max(0, end - HELD), end + HELD];
    if (end > 0 && maskSecrets(text(from, end)) + maskSecrets(text(end, to)) === maskSecrets(text(from, to)))
      return end;
  }
  let end = all.length - HELD;
  while (end > 1 && ((all[end] ?? 0) & 0xc0) === 0x80) end--;
  return end;
}

/** As many bytes as before. */
function masked(bytes: Buffer): Buffer {
  const before = bytes.toString('utf8');
  const after = maskSecrets(before);
  // Bytes that are no text stay as they are.
  if (after === before) return bytes;
  const [olds, news] = [before.split('\n'), after.split('\n')];
  let at = 0;
  const lines = news.map((line, i) => {
    const from = at++;
    if (line === olds[from]) return line;
    // A key may have had several lines: the next line says how many.
    const next = i + 1 < news.length ? olds.indexOf(news[i + 1] ?? '', at) : olds.length;
    at = next < 0 ? at : next;
    return filled(line, olds.slice(from, at).join('\n'));
  });
  return Buffer.from(lines.join('\n'));
}

function filled(line: string, before: string): string {
  return line + ' '.repeat(Math.max(0, Buffer.byteLength(before) - Buffer.byteLength(line)));
}
