import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { HoldfastError } from 'holdfast';
import { attempt } from '../attempt.ts';
import { userFolder } from './files.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The file with the keys that `holdfast setup` saved, the only one that may contain a key. */
export function credentialsFile(env: Env): string {
  return join(userFolder(env), 'credentials');
}

const LINE = /^([A-Z][A-Z0-9_]*)=(\S+)$/;

/** Saved keys by variable; none without a file. Throws BAD_CONFIG if it is damaged, or others can read or replace it. */
export function readCredentials(env: Env): ReadonlyMap<string, string> {
  const file = credentialsFile(env);
  const text = ownText(file);
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  return new Map(
    lines.flatMap((line, i): [string, string][] => {
      if (line === '' || line.startsWith('#')) return [];
      const [, name, key] = LINE.exec(line) ?? [];
      // Never quote the line: it may hold a key.
      if (name === undefined || key === undefined)
        throw new HoldfastError('BAD_CONFIG', `${file}:${i + 1}: expected NAME=key: run \`holdfast setup\` again`);
      return [[name, key]];
    }),
  );
}

function ownText(file: string): string {
  try {
    const { uid, mode } = statSync(file);
    const me = process.getuid?.();
    const isPrivate = me === undefined || ((uid === me || uid === 0) && (mode & 0o077) === 0);
    if (!isPrivate)
      throw new HoldfastError('BAD_CONFIG', `other users can read the keys in ${file}: run \`chmod 600 ${file}\``);
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return '';
    if (error instanceof HoldfastError) throw error;
    const text = `cannot read ${file} (${code}): change its permissions, or remove it`;
    throw new HoldfastError('BAD_CONFIG', text, {}, error);
  }
}

/** The file's text for these keys. Pure. */
export function credentialsText(keys: ReadonlyMap<string, string>): string {
  const lines = [...keys].map(([name, key]) => `${name}=${key}\n`);
  return `# Written by \`holdfast setup\`. Keep it private. Environment variables of the same name win.\n${lines.join('')}`;
}

/** All saved keys, to hide them; none if they cannot be read. Never throws. */
export function savedKeys(env: Env): readonly string[] {
  return [...(attempt(() => readCredentials(env))?.values() ?? [])];
}
