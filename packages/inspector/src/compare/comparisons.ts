import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { CompareJob, CompareSide } from '../api/types.ts';
import type { ModelFacts } from '../data/call-costs.ts';
import { figuresOf, resultOf } from './compare-results.ts';
import type { CompareInput, SideResult } from './compare-sides.ts';
import type { Reply } from './compare-worker.ts';

/** What to compare. */
export interface CompareOrder {
  readonly session: string;
  readonly sides: readonly [CompareSide, CompareSide];
  readonly model: ModelFacts | undefined;
  /** Called when its turn comes. */
  input(): Promise<Omit<CompareInput, 'sides'>>;
}

/** Comparisons in the background: one at a time, in a thread of its own. */
export type Comparisons = ReturnType<typeof createComparisons>;

const MOST_WAITING = 8;
/** Results to keep. */
const MOST_KEPT = 20;
const EVERYTHING: CompareSide = { policy: 'everything', budget: 0 };

interface Kept {
  job: CompareJob;
  readonly order: CompareOrder;
}

export function createComparisons() {
  const kept = new Map<string, Kept>();
  let running: { readonly id: string; readonly worker?: Worker } | undefined;
  let isClosed = false;

  const change = (id: string, change: Partial<CompareJob>) => {
    const one = kept.get(id);
    if (one) one.job = { ...one.job, ...change };
  };
  const next = async (): Promise<void> => {
    const [id, one] = [...kept].find(([, { job }]) => job.state === 'queued') ?? [];
    if (running || isClosed || id === undefined || !one) return;
    running = { id };
    change(id, { state: 'running' });
    try {
      const { order } = one;
      const input = { ...(await order.input()), sides: [EVERYTHING, ...order.sides] };
      const [everything, ...sides] = kept.has(id) ? await replayed(id, input) : [];
      const [left, right] = sides;
      if (everything && left && right) change(id, doneJob(order, everything, [left, right]));
    } catch (error) {
      change(id, { state: 'failed', detail: error instanceof Error ? error.message : String(error) });
    }
    running = undefined;
    void next();
  };
  const replayed = (id: string, input: CompareInput): Promise<readonly SideResult[]> =>
    new Promise((resolve, reject) => {
      const worker = startWorker(input);
      running = { id, worker };
      worker.on('message', (reply: Reply) => {
        if (reply.type === 'progress') return change(id, { progress: reply.share });
        if (reply.type === 'done') resolve(reply.sides);
        else reject(new Error(reply.why));
        void worker.terminate();
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('the comparison was stopped')));
    });
  return {
    /** Undefined if too many wait. */
    add(order: CompareOrder): CompareJob | undefined {
      const waiting = [...kept.values()].filter(({ job }) => job.state === 'queued').length;
      if (waiting >= MOST_WAITING || isClosed) return undefined;
      const job: CompareJob = { job: randomUUID(), session: order.session, state: 'queued', progress: 0 };
      kept.set(job.job, { job, order });
      const over = [...kept].filter(([, { job: one }]) => one.state === 'done' || one.state === 'failed');
      for (const [id] of over.slice(0, Math.max(0, kept.size - MOST_KEPT))) kept.delete(id);
      void next();
      return kept.get(job.job)?.job;
    },
    get: (job: string) => kept.get(job)?.job,
    /** Stops it, if it runs, and forgets it. False if there is none. */
    remove(job: string): boolean {
      if (running?.id === job) void running.worker?.terminate();
      return kept.delete(job);
    },
    async close(): Promise<void> {
      isClosed = true;
      await running?.worker?.terminate();
    },
  };
}

function doneJob({ sides, model }: CompareOrder, everything: SideResult, done: [SideResult, SideResult]) {
  const units = everything.result.cost;
  return {
    state: 'done' as const,
    progress: 1,
    sides: [resultOf(sides[0], done[0], units, model), resultOf(sides[1], done[1], units, model)] as const,
    everything: figuresOf(everything, units, model),
  };
}

function startWorker(input: CompareInput): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? './compare-worker.ts' : './compare-worker.js', import.meta.url);
  const execArgv = isSource ? ['--conditions=@holdfast/source'] : [];
  return new Worker(url, { env: {}, execArgv, workerData: input });
}
