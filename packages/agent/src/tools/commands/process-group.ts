import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { errorCode } from '../failure.ts';

/** How a command ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was stopped early. */
  readonly stopped?: 'time' | 'cancelled';
  /** It left processes running, which were then stopped. */
  readonly left: boolean;
}

/** One command to run. */
export interface Running {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly time_limit_ms: number;
  /** Time between SIGTERM and SIGKILL. */
  readonly grace_ms: number;
  readonly signal: AbortSignal;
  onOutput(stream: 'stdout' | 'stderr', bytes: Buffer): void;
}

const MARK = 'HOLDFAST_CALL';
/** How long to wait for the last output of a finished process. */
export const DRAIN_MS = 250;
const LAST_DRAIN_MS = 2_000;

/** Runs a shell command in its own process group; resolves once none of its processes is left. Rejects if it cannot start. */
export async function runGroup(running: Running): Promise<Ending> {
  const mark = newMark();
  const child = spawn(running.command, {
    shell: true,
    cwd: running.cwd,
    env: marked(running.env, mark),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.on('data', (bytes: Buffer) => running.onOutput('stdout', bytes));
  child.stderr?.on('data', (bytes: Buffer) => running.onOutput('stderr', bytes));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  let stopped: Ending['stopped'];
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: 'time' | 'cancelled') => {
    stopped ??= why;
    signalGroup(child, 'SIGTERM');
    kill ??= setTimeout(() => signalGroup(child, 'SIGKILL'), running.grace_ms);
  };
  const timer = setTimeout(() => stop('time'), running.time_limit_ms);
  const cancel = () => stop('cancelled');
  running.signal.addEventListener('abort', cancel);
  if (running.signal.aborted) cancel();
  try {
    const [code, signal] = await exited(child);
    await within(closed, DRAIN_MS);
    const left = await endGroup(child, mark, stopped === undefined ? running.grace_ms : 0);
    // The pipes close once every process has ended, unless one escaped with them.
    await within(closed, LAST_DRAIN_MS);
    return { code, signal, ...(stopped === undefined ? {} : { stopped }), left };
  } finally {
    clearTimeout(timer);
    clearTimeout(kill);
    running.signal.removeEventListener('abort', cancel);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

/** A mark for `marked`. */
export function newMark(): string {
  return randomBytes(12).toString('hex');
}

/** Adds the mark by which `endGroup` finds processes that left their group. Pure. */
export function marked(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [MARK]: mark };
}

function exited(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (...how) => resolve(how));
  });
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

/**
 * Stops everything left of a group, and every process with its mark: SIGTERM first, SIGKILL after `grace` ms. Returns
 * whether there was any.
 */
export async function endGroup(child: ChildProcess, mark: string, grace: number): Promise<boolean> {
  const running = () => survivors(child, mark).length > 0;
  if (!running()) return false;
  const all = (signal: NodeJS.Signals) => {
    for (const pid of survivors(child, mark)) tryKill(pid, signal);
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
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    names = [];
  }
  if (names.length === 0) return signalGroup(child, 0) ? [-child.pid] : [];
  const group = String(child.pid);
  return names.filter((name) => belongs(name, group, mark)).map(Number);
}

/** True if a process is in the group or has the mark. Zombies do not count. */
function belongs(pid: string, group: string, mark: string): boolean {
  try {
    // The program's name comes first and may contain anything, including brackets.
    const [state, , pgrp] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    if (state === 'Z' || state === 'X') return false;
    return pgrp === group || readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${MARK}=${mark}`);
  } catch {
    return false;
  }
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Already gone.
  }
}

/** Waits for a promise, but at most `ms`. */
export async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
