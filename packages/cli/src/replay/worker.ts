import { parentPort, workerData } from 'node:worker_threads';
import { type JobResult, runJob, type Settings } from '@holdfast/replay/report';
import type { Recording } from '@holdfast/replay/transcripts';

/** A worker's answer. */
export type Reply =
  | { readonly type: 'done'; readonly result: JobResult }
  | { readonly type: 'failed'; readonly why: string };

const settings = workerData as Settings;

parentPort?.on('message', async (recording: Recording) => {
  let reply: Reply;
  try {
    reply = { type: 'done', result: await runJob(recording, settings) };
  } catch (error) {
    reply = { type: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
});
