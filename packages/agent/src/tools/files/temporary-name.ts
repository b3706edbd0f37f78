import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, readlinkSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { attempt } from '../../attempt.ts';
import { errorCode } from '../failure.ts';
import { at, type Folder, verify } from './folder.ts';

const NAME = /^\.holdfast-(\d+)-([0-9a-f]{6})-[0-9a-f]{12}\.tmp$/;
const DAY_MS = 86_400_000;

/** A name for a file that will be renamed immediately. It names its process, so that others can tell when it was abandoned. */
export function temporaryName(): string {
  return `.holdfast-${process.pid}-${machine()}-${randomBytes(6).toString('hex')}.tmp`;
}

/** True for a name made by `temporaryName`. Pure. */
export function isTemporary(name: string): boolean {
  return NAME.test(name);
}

/** Removes a temporary file left behind by a killed process, and nothing else. Never throws. */
export function removeIfAbandoned(folder: Folder, name: string): void {
  if (!isTemporary(name)) return;
  // Fails if another process removed it, or if this one lacks the permission.
  attempt(() => {
    const found = lstatSync(at(folder, name));
    if (!found.isFile() || !isAbandoned(name, found.mtimeMs)) return;
    verify(folder);
    unlinkSync(at(folder, name));
  });
}

/** A write takes an instant, so its file is abandoned once its process has ended, or after a day if that is unknown. */
function isAbandoned(name: string, mtimeMs: number): boolean {
  if (Date.now() - mtimeMs > DAY_MS) return true;
  const [, pid, where] = NAME.exec(name) ?? [];
  if (where !== machine()) return false;
  // In a container, a process often gets the id of its predecessor.
  return Number(pid) === process.pid ? mtimeMs < Date.now() - process.uptime() * 1_000 : !runs(Number(pid));
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Process ids are only meaningful on one machine and in one container. */
function machine(): string {
  // Not every system has PID namespaces.
  const space = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  return createHash('sha256').update(`${hostname()} ${space}`).digest('hex').slice(0, 6);
}
