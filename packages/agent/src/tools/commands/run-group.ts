import { type ChildProcess, spawn } from 'node:child_process';
import { DRAIN_MS, endGroup, marked, newMark, signalGroup, within } from './process-group.ts';

/** How a command ended. */
export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
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
  onOutput(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
}

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

function exited(child: ChildProcess): Promise<[code: number | null, signal: NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('exit', (...how) => resolve(how));
  });
}
