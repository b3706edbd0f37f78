import { Worker } from 'node:worker_threads';
import { messageOf, ToolFailure } from '../failure.ts';
import type { TreeAnswer, TreeJob } from './tree-jobs.ts';
import type { TreeMessage } from './tree-worker.ts';

/** What a job gave; `late` if it was ended at its time limit, with the lines that it had found until then. */
export interface TreeResult {
  readonly lines: readonly string[];
  readonly answer?: TreeAnswer;
  readonly late: boolean;
}

/** Goes through whole trees in a thread of its own, so that no pattern and no folder holds the program up. */
export interface TreeClient {
  /** One job after the other. Throws ToolFailure for what the job could not do, and when `signal` ends it. */
  run(job: TreeJob, time_limit_ms: number, signal?: AbortSignal): Promise<TreeResult>;
  close(): Promise<void>;
}

/** Makes a client; its thread starts with the first job, and again after one that had to be ended. */
export function createTreeClient(): TreeClient {
  let worker: Worker | undefined;
  let ready: Promise<void> = Promise.resolve();
  let queue: Promise<unknown> = Promise.resolve();
  const start = () => {
    const url = new URL(import.meta.url.endsWith('.ts') ? './tree-worker.ts' : './tree-worker.js', import.meta.url);
    // The default environment of a thread is a copy of all variables; this one needs none of them.
    const started = new Worker(url, { env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 512 } });
    // Between jobs nobody else listens, and an error that nobody hears would end the program.
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    ready = new Promise((resolve, reject) => {
      started.once('message', () => {
        // Until then somebody waits for it and nothing else may hold the program.
        started.unref();
        resolve();
      });
      started.once('exit', () => reject(new ToolFailure('the thread for searches could not be started')));
    });
    return started;
  };
  const end = async () => {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  };
  return {
    run(job, time_limit_ms, signal) {
      const result = queue.then(async () => {
        worker ??= start();
        const running = worker;
        // A machine that is busy may take long to start a thread; that is not the job's time.
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
    const broke = (why: unknown) => stop(() => fail(`the search ended by itself: ${messageOf(why)}`));
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
