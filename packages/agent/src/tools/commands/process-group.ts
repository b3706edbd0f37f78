import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { attempt } from '../../attempt.ts';
import { errorCode } from '../failure.ts';

const MARK = 'HOLDFAST_CALL';
/** How long to wait for the last output of a finished process. */
export const DRAIN_MS = 250;

/** A mark for `marked`. */
export function newMark(): string {
  return randomBytes(12).toString('hex');
}

/** Adds the mark by which `endGroup` finds processes that left their group. Pure. */
export function marked(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [MARK]: mark };
}

/** Signals the whole group; returns false if no process is left. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    if (process.platform === 'win32') return child.kill(signal === 0 ? undefined : signal);
    return process.kill(-child.pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    if (errorCode(error) === 'EPERM') return true;
    throw error;
  }
}

/** Stops what is left of a group or has its mark: SIGTERM first, SIGKILL after `grace` ms. False if there was nothing. */
export async function endGroup(child: ChildProcess, mark: string, grace: number): Promise<boolean> {
  const running = () => survivors(child, mark).length > 0;
  if (!running()) return false;
  const all = (signal: NodeJS.Signals) => {
    for (const pid of survivors(child, mark)) attempt(() => process.kill(pid, signal));
  };
  if (grace > 0) {
    all('SIGTERM');
    for (const end = performance.now() + grace; performance.now() < end && running(); ) await pause(20);
  }
  // A process may fork while the list is read; the next round catches its children.
  for (let round = 0; round < 50 && running(); round++) {
    signalGroup(child, 'SIGKILL');
    all('SIGKILL');
    await pause(10);
  }
  return true;
}

/** The processes a command left running; without /proc, the group as a whole. */
function survivors(child: ChildProcess, mark: string): number[] {
  if (child.pid === undefined) return [];
  const names = (attempt(() => readdirSync('/proc')) ?? []).filter((name) => /^\d+$/.test(name));
  if (names.length === 0) return signalGroup(child, 0) ? [-child.pid] : [];
  const group = String(child.pid);
  return names.filter((name) => belongs(name, group, mark)).map(Number);
}

/** True if a process is in the group or has the mark. Zombies do not count. */
function belongs(pid: string, group: string, mark: string): boolean {
  const read = (file: string) => attempt(() => readFileSync(`/proc/${pid}/${file}`, 'latin1')) ?? '';
  // The program's name comes first and may contain anything, including brackets.
  const [state = '', , pgrp] = read('stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  if (/^[ZX]?$/.test(state)) return false;
  return pgrp === group || read('environ').includes(`${MARK}=${mark}`);
}

/** Waits for a promise, but at most `ms`. */
export async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
