import { readFileSync, statSync } from 'node:fs';
import { trustFile } from '@holdfast/agent/config';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { orWrongUse, WrongUse } from '../failure.ts';
import { locked, writePrivate } from '../private-file.ts';

/** A trusted file: the hash of its values, and the text shown to the user, with keys masked. */
const recordSchema = z.object({ hash: z.string(), since: z.string(), text: z.string() });
/** A permission that the user gave to chats in a folder. */
const permissionSchema = z.object({ tool: z.string(), command: z.string().exactOptional(), since: z.string() });
const trustSchema = z.object({
  version: z.literal(1),
  folders: z.record(z.string(), z.record(z.string(), recordSchema)),
  permissions: z.record(z.string(), z.array(permissionSchema)).default({}),
});

export type TrustRecord = z.infer<typeof recordSchema>;
export type KeptPermission = z.infer<typeof permissionSchema>;
type TrustFile = z.infer<typeof trustSchema>;
/** By the real path of the folder, then of the file. */
export type Trusted = TrustFile['folders'];

type Env = Pick<Context, 'env'>;

/** Everything the user trusts. Throws WrongUse if it cannot be read, or if other users could have written it. */
export function readTrust(context: Env): Trusted {
  return readAll(context).folders;
}

/** What chats may do without asking, by the real path of the folder. Throws WrongUse. */
export function readPermissions(context: Env): TrustFile['permissions'] {
  return readAll(context).permissions;
}

function readAll({ env }: Env): Omit<TrustFile, 'version'> {
  const file = trustFile(env);
  const text = textOf(file);
  if (text === undefined) return { folders: {}, permissions: {} };
  try {
    return trustSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new WrongUse(`${file} is damaged: remove it, and you will be asked again what you trust`, error);
  }
}

/** Adds trusted files of a folder. Throws WrongUse. */
export function addTrust(context: Env, folder: string, records: Readonly<Record<string, TrustRecord>>): void {
  locked(trustFile(context.env), () => {
    const all = readAll(context);
    writeAll(context, { ...all, folders: { ...all.folders, [folder]: { ...all.folders[folder], ...records } } });
  });
}

/** Removes a folder, or all folders, with their permissions. False if there was nothing to remove. Throws WrongUse. */
export function revokeTrust(context: Env, folder?: string): boolean {
  return locked(trustFile(context.env), () => {
    const { folders, permissions } = readAll(context);
    const left = { folders: without(folders, folder), permissions: without(permissions, folder) };
    const size = (all: Omit<TrustFile, 'version'>) => Object.values(all).flatMap((one) => Object.keys(one)).length;
    if (size(left) === size({ folders, permissions })) return false;
    writeAll(context, left);
    return true;
  });
}

function without<T>(all: Readonly<Record<string, T>>, folder: string | undefined): Record<string, T> {
  if (folder === undefined) return {};
  return Object.fromEntries(Object.entries(all).filter(([one]) => one !== folder));
}

/** Changes the permissions of a folder. Throws WrongUse. */
export function changePermissions(
  context: Env,
  folder: string,
  change: (before: readonly KeptPermission[]) => readonly KeptPermission[],
): void {
  locked(trustFile(context.env), () => {
    const all = readAll(context);
    const after = change(all.permissions[folder] ?? []);
    const others = without(all.permissions, folder);
    writeAll(context, { ...all, permissions: after.length === 0 ? others : { ...others, [folder]: [...after] } });
  });
}

function textOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return undefined;
  const me = process.getuid?.();
  const isMine = me === undefined || ((found.uid === me || found.uid === 0) && (found.mode & 0o022) === 0);
  if (!isMine)
    throw new WrongUse(`other users can write to ${file}: chmod 600 it if you know what is in it, or remove it`);
  return orWrongUse(`read ${file}`, 'change its permissions, or remove it', () => readFileSync(file, 'utf8'));
}

function writeAll({ env }: Env, all: Omit<TrustFile, 'version'>): void {
  const text = `${JSON.stringify({ ...all, version: 1 }, null, 2)}\n`;
  writePrivate(trustFile(env), text, 'your answer was not saved');
}
