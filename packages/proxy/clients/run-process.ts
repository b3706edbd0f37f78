import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** How a process is started. */
export interface ProcessOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Killed after this time. */
  readonly seconds: number;
  /** Kills it early. */
  readonly signal?: AbortSignal;
}

/** How a process ended. */
export interface ProcessEnd {
  /** Null if it was killed. */
  readonly exit_code: number | null;
  readonly timed_out: boolean;
  /** The last part of stdout and stderr. */
  readonly output: string;
}

const KEPT = 8_000;
const MARKER = 'HOLDFAST_CLIENT_RUN';

/** Runs a command to its end or its time limit, then kills everything that it started. Rejects if it cannot be started. */
export async function runProcess(
  command: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessEnd> {
  const { cwd, env, seconds, signal } = options;
  const run = randomUUID();
  const child = spawn(command, args, {
    cwd,
    env: { ...env, [MARKER]: run },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // its own process group
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-KEPT);
    });
  let timedOut = false;
  const end = () => killGroup(child.pid);
  const limit = setTimeout(() => {
    timedOut = true;
    end();
  }, seconds * 1000);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      // Not 'close': a daemon may keep the pipes open.
      child.on('exit', resolve);
    });
    return { exit_code: code, timed_out: timedOut, output };
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', end);
    end();
    killMarked(run);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function killGroup(pid: number | undefined): void {
  if (pid !== undefined) kill(-pid);
}

/** Kills daemons, which left the process group but still have its environment. Only Linux shows that. */
function killMarked(run: string): void {
  if (process.platform !== 'linux') return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${MARKER}=${run}`)) kill(Number(pid));
    } catch {
      // It has ended, or belongs to someone else.
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
