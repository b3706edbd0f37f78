import { constants, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of a session's long tool outputs. Pure. */
export function outputsFolder(home: string, session: string): string {
  // An id may consist of dots, but never contains a %.
  return join(home, 'chat-outputs', /^\.+$/.test(session) ? `%${session}` : session);
}

/** True for a handle of an output, such as `o3`. Pure. */
export function isOutput(handle: string): boolean {
  return /^o\d{1,15}$/.test(handle);
}

/** A full output; undefined if the session has no output with this handle. */
export function readOutput(home: string, session: string, handle: string): string | undefined {
  if (!isOutput(handle)) return undefined;
  try {
    return readFileSync(join(outputsFolder(home, session), `${handle}.txt`), 'utf8');
  } catch {
    return undefined;
  }
}

/** Copies the outputs for a fork, which must not lose them when the original is deleted. */
export function copyOutputs(home: string, from: string, to: string): void {
  const folder = outputsFolder(home, from);
  if (!existsSync(folder)) return;
  mkdirSync(outputsFolder(home, to), { recursive: true, mode: 0o700 });
  cpSync(folder, outputsFolder(home, to), { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** Deletes the outputs of a deleted session. */
export function removeOutputs(home: string, session: string): void {
  rmSync(outputsFolder(home, session), { recursive: true, force: true });
}
