import { Worker } from 'node:worker_threads';
import type { Settings } from '@holdfast/replay/report';
import type { Recording } from '@holdfast/replay/transcripts';
import type { Reply } from './worker.ts';

/** Starts `count` threads that replay one conversation each at a time. If one dies, its job fails and a new one replaces it. */
export function createPool(count: number, settings: Settings) {
  const idle: Worker[] = [];
  const waiting: ((worker: Worker) => void)[] = [];
  const all = new Set<Worker>();
  const free = (worker: Worker): void => {
    const next = waiting.shift();
    if (next) next(worker);
    else idle.push(worker);
  };
  const start = (): void => {
    const worker = startWorker(settings);
    all.add(worker);
    free(worker);
  };
  for (let n = 0; n < count; n++) start();

  const take = (): Promise<Worker> => {
    const worker = idle.pop();
    return worker ? Promise.resolve(worker) : new Promise((resolve) => waiting.push(resolve));
  };
  const ask = (worker: Worker, recording: Recording): Promise<Reply> =>
    new Promise((resolve) => {
      const answered = (reply: Reply): void => {
        worker.off('error', died);
        free(worker);
        resolve(reply);
      };
      const died = (error: Error): void => {
        worker.off('message', answered);
        all.delete(worker);
        start();
        resolve({ type: 'failed', why: error.message });
      };
      worker.once('message', answered);
      worker.once('error', died);
      worker.postMessage(recording);
    });

  return {
    /** `begun` resolves when a thread has taken the conversation, `reply` when it is done. */
    run(recording: Recording) {
      const taken = take();
      return { begun: taken.then(() => {}), reply: taken.then((worker) => ask(worker, recording)) };
    },
    async close(): Promise<void> {
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

function startWorker(settings: Settings): Worker {
  const url = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url);
  return new Worker(url, { env: {}, workerData: settings });
}
