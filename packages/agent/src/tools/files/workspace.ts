import { type BigIntStats, closeSync, fstatSync, lstatSync, readSync, unlinkSync } from 'node:fs';
import { HoldfastError } from 'holdfast';
import { messageOf, ToolFailure } from '../failure.ts';
import { at, openFile, type Root, rootAt, verify } from './folder.ts';
import { namesOf } from './path-rules.ts';
import { replaceFile } from './replace-file.ts';
import { walk } from './walk.ts';

/** Checks a real path before it is touched, and the opened file before it is read. Throws ToolFailure to refuse. */
export type Gate = (path: string, opened?: BigIntStats) => void;

/** The files of one folder, and none outside it. Synchronous, so that nothing else in this process can interfere. */
export type Workspace = ReturnType<typeof openWorkspace>;

/** Opens a folder as a workspace. Throws BAD_CONFIG for anything else, and for /, /proc, /sys and /dev. */
export function openWorkspace(path: string, by?: Root['by']) {
  const root = rootOf(path, by);
  const names = (asked: string) => namesOf(asked, [root.path, path]);
  return {
    root,
    /** Splits a path into names. Throws ToolFailure if it leads out of the workspace. */
    names,
    /** A file's bytes and its real path. Throws ToolFailure unless it is a regular file up to `maxBytes` that `gate` permits. */
    read: (asked: string, gate: Gate, maxBytes: number) =>
      walk(root, names(asked), ({ folder, name, missing, path: real }) => {
        gate(real);
        if (missing.length > 0) throw new ToolFailure(`${real} does not exist`);
        if (name === undefined) throw new ToolFailure(`${real || '.'} is a folder; list_files shows what is in it`);
        return { path: real, bytes: readWhole(openFile(folder, name), real, gate, maxBytes) };
      }),
    /** Creates or replaces a file atomically; returns its real path, and the size it had. `mode`: of a new file. Throws ToolFailure. */
    write: (asked: string, gate: Gate, bytes: Buffer, mode?: number) =>
      walk(root, names(asked), (place) => {
        gate(place.path);
        const old = place.name === undefined ? undefined : lstatSync(at(place.folder, place.name), { bigint: true });
        if (old?.isFile() === false) throw new ToolFailure(`${place.path} is not a regular file`);
        replaceFile(place, bytes, old, mode);
        return { path: place.path, ...(old && { before: Number(old.size) }) };
      }),
    /** Removes a file, or a symlink but not its target. Throws ToolFailure. */
    remove(asked: string): void {
      const all = names(asked);
      walk(root, all.slice(0, -1), ({ folder, missing, path: real }) => {
        if (missing.length > 0) throw new ToolFailure(`${real} does not exist`);
        verify(folder);
        unlinkSync(at(folder, all.at(-1) ?? '.'));
      });
    },
    /** Replaces a file's bytes by `change(bytes)` atomically and returns its real path. Throws ToolFailure. */
    edit: (asked: string, gate: Gate, maxBytes: number, change: (before: Buffer) => Buffer) =>
      walk(root, names(asked), (place) => {
        gate(place.path);
        if (place.missing.length > 0)
          throw new ToolFailure(`${place.path} does not exist; write_file creates a new file`);
        if (place.name === undefined) throw new ToolFailure(`${place.path || '.'} is a folder`);
        const fd = openFile(place.folder, place.name);
        const old = fstatSync(fd, { bigint: true });
        replaceFile(place, change(readWhole(fd, place.path, gate, maxBytes)), old);
        return place.path;
      }),
  };
}

function rootOf(path: string, by: Root['by'] | undefined): Root {
  const refuse = (shown: string, why: string, error?: unknown) =>
    new HoldfastError('BAD_CONFIG', `workspace ${shown}: ${why}`, {}, error);
  let root: Root;
  try {
    root = rootAt(path, by);
  } catch (error) {
    throw refuse(path, `${messageOf(error)}; choose an existing folder`, error);
  }
  if (/^\/$|^\/(?:proc|sys|dev)(?:\/|$)/.test(root.path))
    throw refuse(root.path, 'tools may not run there; choose a project folder');
  return root;
}

/** Reads an open file and closes it. */
function readWhole(fd: number, path: string, gate: Gate, maxBytes: number): Buffer {
  try {
    const opened = fstatSync(fd, { bigint: true });
    gate(path, opened);
    const size = Number(opened.size);
    if (size > maxBytes) {
      throw new ToolFailure(
        `${path} has ${size} bytes, more than the limit of ${maxBytes}; use search, or run_command with head, tail or sed`,
      );
    }
    const parts: Buffer[] = [];
    let total = 0;
    for (;;) {
      const part = Buffer.allocUnsafe(Math.max(size - total + 1, 4_096));
      const count = readSync(fd, part);
      if (count === 0) return Buffer.concat(parts, total);
      parts.push(part.subarray(0, count));
      total += count;
      if (total > maxBytes)
        throw new ToolFailure(`${path} is growing while it is read and exceeds the limit of ${maxBytes} bytes`);
    }
  } finally {
    closeSync(fd);
  }
}
