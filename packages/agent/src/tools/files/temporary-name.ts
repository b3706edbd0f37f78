import { createHash, randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

const NAME = /^\.holdfast-(\d+)-([0-9a-f]{6})-[0-9a-f]{12}\.tmp$/;

/** A name for a file that is to be renamed at once. It tells who makes it, so that others know when it was left behind. */
export function temporaryName(): string {
  return `.holdfast-${process.pid}-${machine()}-${randomBytes(6).toString('hex')}.tmp`;
}

/** Whether a name is one of those. Pure. */
export function isTemporary(name: string): boolean {
  return NAME.test(name);
}

/** The process that made such a file, if it is one of this machine. */
export function makerOf(name: string): number | undefined {
  const [, pid, where] = NAME.exec(name) ?? [];
  return where === machine() ? Number(pid) : undefined;
}

/** Numbers of processes mean something only on one machine and in one container. */
function machine(): string {
  let space = '';
  try {
    space = readlinkSync('/proc/self/ns/pid');
  } catch {
    // There are no such spaces here.
  }
  return createHash('sha256').update(`${hostname()} ${space}`).digest('hex').slice(0, 6);
}
