import { createHash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const NAME = /^\.holdfast-(\d+)-([0-9a-f]{6})-[0-9a-f]{12}\.tmp$/;

/** A name for a file that will be renamed immediately. It names its process, so that others can tell when it was abandoned. */
export function temporaryName(): string {
  return `.holdfast-${process.pid}-${machine()}-${randomBytes(6).toString('hex')}.tmp`;
}

/** True for a name made by `temporaryName`. Pure. */
export function isTemporary(name: string): boolean {
  return NAME.test(name);
}

/** The process that made such a file, if it ran on this machine. */
export function makerOf(name: string): number | undefined {
  const [, pid, where] = NAME.exec(name) ?? [];
  return where === machine() ? Number(pid) : undefined;
}

/** Process ids are only meaningful on one machine and in one container. */
function machine(): string {
  let space = '';
  try {
    space = readlinkSync('/proc/self/ns/pid');
  } catch {
    // No PID namespaces on this system.
  }
  return createHash('sha256').update(`${hostname()} ${space}`).digest('hex').slice(0, 6);
}
