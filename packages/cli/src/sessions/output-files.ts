import { constants, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where long results of a session's tools lie. Pure. */
export function outputsFolder(home: string, session: string): string {
  // Ids may be dots alone, and none holds a %.
  return join(home, 'chat-outputs', /^\.+$/.test(session) ? `%${session}` : session);
}

/** True for what names an output. Pure. */
export function isOutput(handle: string): boolean {
  return /^o\d{1,15}$/.test(handle);
}

/** An output whole; undefined if this is no handle of one, or none of this session. */
export function readOutput(home: string, session: string, handle: string): string | undefined {
  if (!isOutput(handle)) return undefined;
  try {
    return readFileSync(join(outputsFolder(home, session), `${handle}.txt`), 'utf8');
  } catch {
    return undefined;
  }
}

/** A fork names the outputs of the session that it comes from, and must not lose them with it. */
export function copyOutputs(home: string, from: string, to: string): void {
  const folder = outputsFolder(home, from);
  if (!existsSync(folder)) return;
  mkdirSync(outputsFolder(home, to), { recursive: true, mode: 0o700 });
  cpSync(folder, outputsFolder(home, to), { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** Nothing stays of a session that is deleted. */
export function removeOutputs(home: string, session: string): void {
  rmSync(outputsFolder(home, session), { recursive: true, force: true });
}
