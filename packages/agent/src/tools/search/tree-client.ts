import { Worker } from 'node:worker_threads';
import { messageOf, ToolFailure } from '../failure.ts';
import type { TreeAnswer, TreeJob, TreeMessage } from './tree-worker.ts';

/** The result of a job. `late`: it was stopped at its time limit, with the lines found so far. */
export interface TreeResult {
  readonly lines: readonly string[];
  readonly answer?: TreeAnswer;
  readonly late: boolean;
}

/**
 * Walks folder trees in a thread of its own, so that no pattern and no folder can block the program. The thread starts with the
 * first job, and again after a job that had to be stopped.
 */
export function createTreeClient() {
  let worker: Worker | undefined;
  let ready: Promise<void> = Promise.resolve();
  let queue: Promise<unknown> = Promise.resolve();
  const start = () => {
    const url = new URL(import.meta.url.endsWith('.ts') ? './tree-worker.ts' : './tree-worker.js', import.meta.url);
    // By default a thread gets a copy of all variables; this one needs none.
    const started = new Worker(url, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 512 } });
    // Between jobs nothing else listens, and an unhandled error would end the program.
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    ready = new Promise((resolve, reject) => {
      started.once('message', () => {
        // Once started, the thread must not keep the program alive.
        started.unref();
        resolve();
      });
      started.once('exit', () => reject(new ToolFailure('the search thread could not be started')));
    });
    return started;
  };
  const end = async () => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  return {
    /** Runs one job at a time. Throws ToolFailure if the job fails or `signal` aborts it. */
    run(job: TreeJob, time_limit_ms: number, signal?: AbortSignal): Promise<TreeResult> {
      const result = queue.then(async () => {
        worker ??= start();
        const running = worker;
        // Starting a thread can take long on a busy machine; that time is not the job's.
        await ready;
        return await ask(running, job, time_limit_ms, signal, end);
      });
      queue = result.catch(() => {});
      return result;
    },
    close: end,
  };
}

function ask(
  worker: Worker,
  job: TreeJob,
  limit: number,
  signal: AbortSignal | undefined,
  end: () => Promise<void>,
): Promise<TreeResult> {
  return new Promise((resolve, reject) => {
    const lines: string[] = [];
    const fail = (message: string) => reject(new ToolFailure(message));
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
      worker.off('message', hear).off('error', broke).off('exit', broke);
      settle();
    };
    const stop = (settle: () => void) => finish(() => void end().then(settle, settle));
    const cancel = () => stop(() => fail('cancelled'));
    const broke = (why: unknown) => stop(() => fail(`the search ended unexpectedly: ${messageOf(why)}`));
    const hear = (message: TreeMessage) => {
      if (message.type === 'part') for (const line of message.lines) lines.push(line);
      else if (message.type === 'failed') finish(() => fail(message.message));
      else if (message.type === 'done') finish(() => resolve({ lines, answer: message.answer, late: false }));
    };
    const timer = setTimeout(() => stop(() => resolve({ lines, late: true })), limit);
    worker.on('message', hear).on('error', broke).on('exit', broke);
    if (signal?.aborted) cancel();
    else {
      signal?.addEventListener('abort', cancel);
      worker.postMessage(job);
    }
  });
}
