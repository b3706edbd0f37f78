import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readdirSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from 'holdfast';
import { attempt } from '../../attempt.ts';
import { messageOf } from '../failure.ts';
import { type OutputStore, partOf } from './outputs.ts';

/**
 * Stores outputs as files in a folder, created if missing, so that they outlive the process. Caps each output at
 * `maxBytes` and removes nothing. Throws BAD_CONFIG if the folder cannot be used.
 */
export function folderOutputs(folder: string, maxBytes = 64 * 2 ** 20): OutputStore {
  let count = 0;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder)) count = Math.max(count, Number(/^o(\d+)\.txt$/.exec(name)?.[1] ?? 0));
  } catch (error) {
    throw new HoldfastError('BAD_CONFIG', `output folder ${folder}: ${messageOf(error)}`, {}, error);
  }
  return {
    create() {
      // Another process may have taken the next number.
      let fd: number | undefined;
      do fd = tryOpen(join(folder, `o${++count}.txt`), 'wx');
      while (fd === undefined && existsSync(join(folder, `o${count}.txt`)));
      const handle = `o${count}`;
      let size = 0;
      return {
        handle,
        write(bytes) {
          const part = bytes.subarray(0, Math.max(0, maxBytes - size));
          if (fd === undefined || part.length === 0) return;
          try {
            size += writeSync(fd, part);
          } catch {
            // The disk is full: keep what was written; end() reports how much.
            closeSync(fd);
            fd = undefined;
          }
        },
        end() {
          if (fd !== undefined) closeSync(fd);
          fd = undefined;
          return size;
        },
      };
    },
    read(handle, from, length) {
      const fd = /^o\d{1,15}$/.test(handle) ? tryOpen(join(folder, `${handle}.txt`), 'r') : undefined;
      if (fd === undefined) return undefined;
      try {
        const start = Math.max(0, from - 3);
        const { size } = fstatSync(fd);
        const bytes = Buffer.alloc(Math.max(0, Math.min(from + length + 3, size) - start));
        const count = readSync(fd, bytes, 0, bytes.length, start);
        return partOf(bytes.subarray(0, count), start, from, length, size);
      } finally {
        closeSync(fd);
      }
    },
  };
}

function tryOpen(path: string, flags: string): number | undefined {
  return attempt(() => openSync(path, flags, 0o600));
}
