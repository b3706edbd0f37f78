import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { HoldfastError } from 'holdfast';
import { errorCode } from '../tools/failure.ts';

/** The process that works on a run. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  /** When the process started, if the system tells: process ids are reused. */
  readonly started?: string;
}

/** This process. */
export function thisProcess(): Holder {
  const { pid } = process;
  return { pid, host: hostname(), ...startOf(pid) };
}

/** Throws STORE_CONFLICT if a process on this machine holds the run; one on another machine fails at its next write. */
export function checkFree(holder: Holder | undefined): void {
  if (!holder || holder.host !== hostname()) return;
  const { pid, started } = holder;
  if (!isAlive(pid) || startOf(pid).started !== started) return;
  const text = `process ${pid} works on this task: wait for it, or end it (kill ${pid})`;
  throw new HoldfastError('STORE_CONFLICT', text, { pid });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function startOf(pid: number): Pick<Holder, 'started'> {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[19] === undefined ? {} : { started: fields[19] };
  } catch {
    return {};
  }
}
