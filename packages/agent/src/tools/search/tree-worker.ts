import { parentPort } from 'node:worker_threads';
import { messageOf } from '../failure.ts';
import { runTreeJob, type TreeAnswer, type TreeJob } from './tree-jobs.ts';

/** A message from the worker about a job. */
export type TreeMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'part'; readonly lines: readonly string[] }
  | { readonly type: 'done'; readonly answer: TreeAnswer }
  | { readonly type: 'failed'; readonly message: string };

const say = (message: TreeMessage) => parentPort?.postMessage(message);

parentPort?.on('message', (job: TreeJob) => {
  try {
    say({ type: 'done', answer: runTreeJob(job, (lines) => say({ type: 'part', lines })) });
  } catch (error) {
    say({ type: 'failed', message: messageOf(error) });
  }
});
say({ type: 'ready' });
