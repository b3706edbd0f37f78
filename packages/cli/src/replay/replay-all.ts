import type { Recording, Remark } from '@holdfast/agent/transcripts';
import { messageSize } from 'holdfast/replay';
import type { Context } from '../context.ts';
import { clean } from '../view/text.ts';
import { halfOf } from './half.ts';
import type { JobResult } from './job.ts';
import type { Plan } from './plan.ts';
import { createPool } from './pool.ts';
import { createProgress } from './progress.ts';
import { conversations, type Order, type Sources } from './sources.ts';

/** What became of all conversations, in the order of their sources, and what was left out of them. */
export interface Replayed {
  readonly jobs: readonly JobResult[];
  readonly remarks: readonly Remark[];
  readonly leftOut: LeftOut;
}

/** Conversations that the flags left out. */
export interface LeftOut {
  /** Shorter than `--min-tokens`. */
  readonly short: number;
  /** Of the half that `--half` did not ask for. */
  readonly other_half: number;
}

interface Done {
  readonly order: Order;
  result: JobResult;
}

/** Replays everything on as many threads as the plan says. The result depends on the sources alone. */
export async function replayAll(sources: Sources, plan: Plan, context: Context): Promise<Replayed> {
  const total = sources.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = createProgress(process.stderr, total);
  const pool = createPool(plan.workers, plan.settings);
  const done: Done[] = [];
  const told: { readonly order: Order; readonly remark: Remark }[] = [];
  const leftOut = { short: 0, other_half: 0 };
  const running = new Set<Promise<void>>();
  const listener = {
    onRemark: (source: number, remark: Remark) => void told.push({ order: [source, -1], remark }),
    onBytes: (bytes: number) => progress.read(bytes),
  };
  try {
    for await (const { order, recording } of conversations(sources, context, listener)) {
      const why = reasonToLeaveOut(recording, plan);
      if (why) {
        leftOut[why] += 1;
        continue;
      }
      const { begun, reply } = pool.run(recording);
      const finished = reply.then((answer) => {
        if (answer.type === 'done') done.push({ order, result: answer.result });
        else told.push({ order, remark: failure(recording, answer.why) });
        keepLargestTraces(done, plan);
        progress.replayed(done.length);
        running.delete(finished);
      });
      running.add(finished);
      // No more conversations in memory than there are threads, and one.
      await begun;
    }
    await Promise.all(running);
  } finally {
    progress.end();
    await pool.close();
  }
  return {
    jobs: done.sort(byOrder).map(({ result }) => result),
    remarks: told.sort(byOrder).map(({ remark }) => remark),
    leftOut,
  };
}

function reasonToLeaveOut(recording: Recording, { minTokens, half }: Plan): keyof LeftOut | undefined {
  if (half && halfOf(recording.name) !== half) return 'other_half';
  return sizeOf(recording) < minTokens ? 'short' : undefined;
}

function failure({ name }: Recording, why: string): Remark {
  return { file: name, line: 0, reason: clean(`skipped the conversation: ${why}`), count: 1 };
}

function sizeOf({ messages }: Recording): number {
  return messages.reduce((sum, message) => sum + messageSize(message), 0);
}

const PANELS = 40;
const CONVERSATIONS = 5;

/** A page shows some conversations; the calls of the others need no memory. */
function keepLargestTraces(done: readonly Done[], { settings }: Plan): void {
  if (!settings.traced) return;
  const most = Math.max(1, Math.min(CONVERSATIONS, Math.floor(PANELS / settings.combinations.length)));
  const traced = done.filter(({ result }) => result.traces !== undefined);
  const smallest = traced.toSorted((a, b) => a.result.baseline.peak - b.result.baseline.peak || byOrder(b, a));
  for (const one of smallest.slice(0, Math.max(0, traced.length - most))) {
    const { traces: _, ...rest } = one.result;
    one.result = rest;
  }
}

function byOrder(a: { readonly order: Order }, b: { readonly order: Order }): number {
  return a.order[0] - b.order[0] || a.order[1] - b.order[1];
}
