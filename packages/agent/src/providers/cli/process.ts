import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { LONGEST_MS } from '../../loop/deadline.ts';
import { signalGroup } from '../../tools/commands/process-group.ts';

/** A program to run, and what to do with its lines. */
export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  /** Passed on standard input, so that no process list shows it. */
  readonly input: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly time_limit_ms?: number;
  readonly signal?: AbortSignal;
  /** How long a program may take to exit when asked, before it is killed. */
  readonly grace_ms: number;
  onLine(line: string): void;
}

/** How a program ended. */
export type ProgramEnd = {
  /** The end of its standard error. */
  readonly stderr: string;
  /** Lines that were skipped because they were too long. */
  readonly overlong: number;
} & (
  | { readonly type: 'exit'; readonly code: number }
  | { readonly type: 'killed'; readonly signal: string }
  | { readonly type: 'stopped'; readonly by: 'timeout' | 'cancelled' }
  | { readonly type: 'not-started'; readonly reason: 'missing' | 'no-folder' | 'refused'; readonly code: string }
);

const STDERR_CHARS = 16_384;
const LINE_CHARS = 64 * 1_024 * 1_024;

/**
 * Runs a program in its own process group and never throws. A time limit or an abort ends the whole group: first asked, then
 * killed. After a normal exit, its background processes are left alone.
 */
export function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { signal, grace_ms, time_limit_ms } = run;
  const lines = createLineReader(run.onLine);
  let stderr = '';
  const rest = () => ({ stderr, overlong: lines.overlong() });
  if (signal?.aborted) return Promise.resolve({ type: 'stopped', by: 'cancelled', ...rest() });

  return new Promise((resolve) => {
    const child = start(run);
    if (typeof child === 'string') {
      resolve({ type: 'not-started', reason: 'refused', code: child, ...rest() });
      return;
    }
    const timers: NodeJS.Timeout[] = [];
    let stopped: 'timeout' | 'cancelled' | undefined;
    let ended = false;

    const stop = (by: 'timeout' | 'cancelled') => {
      if (stopped || ended) return;
      stopped = by;
      signalGroup(child, 'SIGTERM');
      timers.push(setTimeout(() => signalGroup(child, 'SIGKILL'), grace_ms));
    };
    const cancel = () => stop('cancelled');
    const settle = (end: ProgramEnd) => {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      leave(child);
      resolve(end);
    };

    signal?.addEventListener('abort', cancel, { once: true });
    endWithThisProcess(child);
    if (time_limit_ms !== undefined && time_limit_ms <= LONGEST_MS)
      timers.push(setTimeout(() => stop('timeout'), time_limit_ms));

    child.once('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
      if (child.pid === undefined) settle({ type: 'not-started', reason: reasonOf(code, run.cwd), code, ...rest() });
    });
    child.once('exit', () => {
      ended = true;
      if (stopped) signalGroup(child, 'SIGKILL'); // the rest of the group
      // Background processes hold the pipes open.
      timers.push(setTimeout(() => [child.stdout, child.stderr].map((pipe) => pipe?.destroy()), grace_ms));
    });
    child.once('close', (code, killer) => {
      if (child.pid === undefined) return;
      lines.end();
      if (stopped) settle({ type: 'stopped', by: stopped, ...rest() });
      else if (code !== null) settle({ type: 'exit', code, ...rest() });
      else settle({ type: 'killed', signal: killer ?? 'unknown', ...rest() });
    });

    child.stdout?.setEncoding('utf8').on('data', lines.take);
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      stderr = (stderr + chunk).slice(-STDERR_CHARS);
    });
    child.stdin?.on('error', () => {}); // a program that ends without reading closes the pipe: its end says why
    child.stdin?.end(run.input);
  });
}

/** The process, or the error code if it did not start: some failures are thrown, others are events. */
function start({ program, args, cwd, env }: ProgramRun): ChildProcess | string {
  try {
    return spawn(program, args, { env, detached: true, stdio: 'pipe', ...(cwd === undefined ? {} : { cwd }) });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

const running = new Set<ChildProcess>();
/** Signals that end this process without an `exit` event if they have no listener. */
const ENDING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** A separate group does not end with this process. One listener serves all, or many concurrent runs would cause a warning. */
function endWithThisProcess(child: ChildProcess): void {
  if (!process.listeners('exit').includes(endAll)) process.on('exit', endAll);
  running.add(child);
  listen();
}

function leave(child: ChildProcess): void {
  running.delete(child);
  if (running.size === 0) for (const signal of ENDING) process.off(signal, onSignal);
}

function endAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL');
}

/** First of all listeners, so that none of the others counts it. */
function listen(): void {
  for (const signal of ENDING)
    if (!process.listeners(signal).includes(onSignal)) process.prependListener(signal, onSignal);
}

/** The signal has its usual effect: other listeners decide; if there are none, it ends this process as well as its programs. */
function onSignal(signal: NodeJS.Signals): void {
  process.off(signal, onSignal);
  if (process.listenerCount(signal) > 0) {
    setImmediate(() => running.size > 0 && listen());
    return;
  }
  endAll();
  process.kill(process.pid, signal);
}

/** The system reports a missing folder and a missing program alike. */
function reasonOf(code: string, cwd: string | undefined): 'missing' | 'no-folder' | 'refused' {
  if (cwd !== undefined && !existsSync(cwd)) return 'no-folder';
  return code === 'ENOENT' ? 'missing' : 'refused';
}

/** Splits chunks into lines; skips and counts those over the limit. */
function createLineReader(onLine: (line: string) => void) {
  let parts: string[] = [];
  let length = 0;
  let overlong = 0;
  const add = (part: string) => {
    length += part.length;
    if (length <= LINE_CHARS) parts.push(part);
    else parts = [];
  };
  const flush = () => {
    if (length > LINE_CHARS) overlong++;
    else if (length > 0) onLine(parts.join(''));
    parts = [];
    length = 0;
  };
  return {
    take(chunk: string) {
      const pieces = chunk.split('\n');
      for (const [i, piece] of pieces.entries()) {
        if (i > 0) flush();
        add(piece);
      }
    },
    end: flush,
    overlong: () => overlong,
  };
}
