import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { errorCode } from '../failure.ts';

/** How a command ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it was ended before it ended by itself. */
  readonly stopped?: 'time' | 'cancelled';
  /** It had left processes running, and they were ended. */
  readonly left: boolean;
}

/** One command to run. */
export interface Running {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Stands in the environment, so that processes that left the group are found again. */
  readonly mark: string;
  readonly time_limit_ms: number;
  /** Between asking to end and ending. */
  readonly grace_ms: number;
  readonly signal: AbortSignal;
  onOutput(stream: 'stdout' | 'stderr', bytes: Buffer): void;
}

const MARK = 'HOLDFAST_CALL';
/** How long what has ended may take to say its last words. */
export const DRAIN_MS = 250;
const LAST_DRAIN_MS = 2_000;

/** Runs a shell command in a process group of its own and resolves when nothing of it runs any more. Rejects if it cannot start. */
export async function runGroup(running: Running): Promise<Ending> {
  const child = spawn(running.command, {
    shell: true,
    cwd: running.cwd,
    env: marked(running.env, running.mark),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The reader is synchronous, so a pipe never holds more than one chunk.
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
    const { code, signal } = await exited(child);
    await within(closed, DRAIN_MS);
    const left = await endGroup(child, running.mark, stopped === undefined ? running.grace_ms : 0);
    // With all of it ended the pipes close by themselves, unless something got away with them.
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

/** Variables with a mark in them, by which `endGroup` finds processes that left their group. Pure. */
export function marked(env: Readonly<Record<string, string>>, mark: string): Record<string, string> {
  return { ...env, [MARK]: mark };
}

function exited(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

/** Sends a signal to all of the group; false if nothing of it is left. */
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
 * Ends what still runs of a group, and whatever carries its mark: asked first, and after `grace` ms without asking. Gives
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
  // A process may start another while the list is read; each round finds those of the one before.
  for (let round = 0; round < 50 && running(); round++) {
    signalGroup(child, 'SIGKILL');
    all('SIGKILL');
    await pause(10);
  }
  return true;
}

/** What still runs of a command; where /proc does not tell, the group as a whole. */
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

/** Whether a process is of the group or has the mark. What has ended and waits to be noticed (Z) does not count. */
function belongs(pid: string, group: string, mark: string): boolean {
  try {
    // The program's name comes before and may hold anything, brackets too.
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
    // It ended by itself.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits for a promise, `ms` at most. */
export async function within(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
