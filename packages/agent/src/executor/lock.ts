import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { HoldfastError } from 'holdfast';
import { errorCode } from '../tools/failure.ts';

/** Takes a lock that goes with the process that holds it; gives what gives it up. Throws STORE_CONFLICT if another has it. */
export function takeLock(path: string): () => void {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, started: startOf(process.pid) }), { mode: 0o600 });
  try {
    for (let tries = 0; tries < 10; tries++) {
      try {
        // Whole or not at all: nobody ever reads half of a lock.
        linkSync(own, path);
        return () => rmSync(path, { force: true });
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      const held = holderOf(path);
      if (held.alive) {
        const text = `process ${held.pid} works on this task: wait for it, or end it (kill ${held.pid})`;
        throw new HoldfastError('STORE_CONFLICT', text, { pid: held.pid });
      }
      discard(path, held.text);
    }
    throw new HoldfastError('STORE_CONFLICT', `${path} cannot be taken: others are at it all the time; try again`);
  } finally {
    rmSync(own, { force: true });
  }
}

interface Holder {
  readonly text: string;
  readonly alive: boolean;
  readonly pid?: number;
}

function holderOf(path: string): Holder {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
    const { pid, started } = JSON.parse(text) as { pid: number; started: string | null };
    // A number is given again to other processes; the time of its start is not.
    return { text, pid, alive: isAlive(pid) && startOf(pid) === started };
  } catch {
    return { text, alive: false };
  }
}

/** Takes away the lock of a process that is gone, unless another took it meanwhile. */
function discard(path: string, text: string): void {
  const aside = `${path}.${process.pid}.gone`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== text) linkSync(aside, path);
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** When a process was started, where the system tells; null elsewhere. */
function startOf(pid: number): string | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[19] ?? null;
  } catch {
    return null;
  }
}
