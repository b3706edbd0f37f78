import { parentPort, workerData } from 'node:worker_threads';
import { type CompareInput, compareSides, type SideResult } from './compare-sides.ts';

/** What the thread says. */
export type Reply =
  | { readonly type: 'progress'; readonly share: number }
  | { readonly type: 'done'; readonly sides: readonly SideResult[] }
  | { readonly type: 'failed'; readonly why: string };

const STEP = 0.01;

const say = (reply: Reply) => parentPort?.postMessage(reply);
let said = 0;
try {
  const sides = await compareSides(workerData as CompareInput, (share) => {
    if (share < said + STEP) return;
    said = share;
    say({ type: 'progress', share });
  });
  say({ type: 'done', sides });
} catch (error) {
  say({ type: 'failed', why: error instanceof Error ? error.message : String(error) });
}
