import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';

/** Where a line lies in its file. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** A file of lines that only grows; they are on the disk when `add` returns. */
export interface Appended {
  /** Whole or not at all: what cannot be written leaves the file as it was. Throws what the system says. */
  add(lines: readonly string[]): Place[];
  at(place: Place): string;
  close(): void;
}

/**
 * Opens such a file and tells of each line that is in it. A last line without an end is of a process that was killed while it
 * wrote: nobody was told that it is kept, so it goes.
 */
export function openAppended(path: string, onLine: (line: string, place: Place) => void): Appended {
  const before = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  const whole = before.lastIndexOf(10) + 1;
  const fd = openSync(path, 'a+', 0o600);
  if (fstatSync(fd).size > whole) ftruncateSync(fd, whole);
  for (let offset = 0; offset < whole; ) {
    const end = before.indexOf(10, offset);
    onLine(before.toString('utf8', offset, end), { offset, length: end - offset });
    offset = end + 1;
  }
  return appendTo(fd, path, whole);
}

/** Adds to a file that is open for it and has so many bytes. `path` is for messages. */
export function appendTo(fd: number, path: string, bytes: number): Appended {
  let size = bytes;
  return {
    add(lines) {
      const text = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      try {
        for (let done = 0; done < text.length; ) done += writeSync(fd, text, done);
        fsyncSync(fd);
      } catch (error) {
        // Half a line in the middle would spoil all that comes after it.
        ftruncateSync(fd, size);
        throw error;
      }
      return lines.map((line) => {
        const place = { offset: size, length: Buffer.byteLength(line) };
        size += place.length + 1;
        return place;
      });
    },
    at({ offset, length }) {
      const part = Buffer.alloc(length);
      for (let done = 0; done < length; ) {
        const count = readSync(fd, part, done, length - done, offset + done);
        if (count === 0) throw new Error(`${path} ends before byte ${offset + length}: it was cut by another program`);
        done += count;
      }
      return part.toString('utf8');
    },
    close: () => closeSync(fd),
  };
}
