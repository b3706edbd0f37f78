import { createHash } from 'node:crypto';
import type { WriteStream } from 'node:tty';
import { messageSize } from '@holdfast/replay';
import type { JobResult, LeftOut } from '@holdfast/replay/report';
import { type Recording, readSession, readTranscript, type TranscriptRemark } from '@holdfast/replay/transcripts';
import type { Context } from '../context.ts';
import type { StoreFlags } from '../sessions/open-store.ts';
import { counted, duration } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import { forDrawing } from '../view/guard-output.ts';
import type { FoundFile } from './find-files.ts';
import type { Plan } from './plan.ts';
import { createPool } from './pool.ts';

/** The results of all conversations, in the order of their sources, and remarks on what was skipped. */
export interface Replayed {
  readonly jobs: readonly JobResult[];
  readonly remarks: readonly TranscriptRemark[];
  readonly leftOut: LeftOut;
}

interface Done {
  readonly order: Order;
  result: JobResult;
}

/** Replays everything on several threads. The result does not depend on their number. */
export async function replayAll(sources: Sources, plan: Plan, context: Context): Promise<Replayed> {
  const total = sources.files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = createProgress(process.stderr, total);
  const pool = createPool(plan.workers, plan.settings);
  const done: Done[] = [];
  const told: { readonly order: Order; readonly remark: TranscriptRemark }[] = [];
  const leftOut = { short: 0, otherHalf: 0 };
  const running = new Set<Promise<void>>();
  const listener = {
    onRemark: (source: number, remark: TranscriptRemark) => void told.push({ order: [source, -1], remark }),
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
      // Keeps at most one conversation more in memory than there are threads.
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
  if (half && halfOf(recording.name) !== half) return 'otherHalf';
  return sizeOf(recording) < minTokens ? 'short' : undefined;
}

function failure({ name }: Recording, why: string): TranscriptRemark {
  return { file: name, line: 0, reason: clean(`skipped the conversation: ${why}`), count: 1 };
}

function sizeOf({ messages }: Recording): number {
  return messages.reduce((sum, message) => sum + messageSize(message), 0);
}

const PANELS = 40;
const CONVERSATIONS = 5;

/** The page shows only some conversations; frees the traces of the others. */
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

/** What distinguishes the parts of one conversation: the part's number and the file extension. */
const PART = /(?:-seg\d+)?(?:\.jsonl|\.ndjson|\.json)?(?:#\d+)?(?: \(side chain\))?$/;

/** The half a conversation belongs to, by its name, so that a choice made on one can be confirmed on the other. Pure. */
export function halfOf(name: string): 1 | 2 {
  const [file = ''] = name.split(/[\\/]/).slice(-1);
  const [first = 0] = createHash('sha256').update(file.replace(PART, '')).digest();
  return first % 2 === 0 ? 1 : 2;
}

const EVERY_MS = 100;
const CELLS = 24;
const CLEAR = '\r\x1b[2K';

/** Draws a bar on a terminal, nothing elsewhere. `total`: bytes of all files. */
export function createProgress(stream: WriteStream, total: number) {
  const isDrawn = stream.isTTY === true && process.env.TERM !== 'dumb';
  const screen = forDrawing(stream);
  const start = Date.now();
  let [last, bytes, conversations] = [0, 0, 0];
  const draw = (): void => {
    const now = Date.now();
    if (!isDrawn || now - last < EVERY_MS) return;
    last = now;
    const share = total > 0 ? Math.min(1, bytes / total) : 1;
    const full = Math.round(share * CELLS);
    const bar = '█'.repeat(full) + '░'.repeat(CELLS - full);
    const text = `${bar} ${Math.floor(share * 100)}% read · ${counted(conversations, 'conversation')} replayed · ${duration(now - start)}`;
    screen.write(CLEAR + text.slice(0, Math.max(10, (stream.columns || 80) - 1)));
  };
  return {
    read(more: number): void {
      bytes += more;
      draw();
    },
    replayed(count: number): void {
      conversations = count;
      draw();
    },
    end: (): void => void (isDrawn && screen.write(CLEAR)),
  };
}

/** Where conversations come from: files and stored sessions. */
export interface Sources extends StoreFlags {
  readonly files: readonly FoundFile[];
  readonly sessions: readonly string[];
}

interface Placed {
  readonly order: Order;
  readonly recording: Recording;
}

type Order = readonly [source: number, conversation: number];

interface Listener {
  onRemark(source: number, remark: TranscriptRemark): void;
  onBytes(bytes: number): void;
}

/** All conversations, largest files first, so that no thread gets the largest at the end. */
async function* conversations(sources: Sources, context: Context, listener: Listener): AsyncGenerator<Placed> {
  const largestFirst = sources.files
    .map((file, source) => ({ file, source }))
    .sort((a, b) => b.file.bytes - a.file.bytes || a.source - b.source);
  for (const { file, source } of largestFirst) {
    let number = 0;
    for await (const recording of readFile(file, source, listener)) yield { order: [source, number++], recording };
  }
  if (sources.sessions.length === 0) return;
  const { withStore } = await import('../sessions/open-store.ts');
  for (const [at, id] of sources.sessions.entries()) {
    const source = sources.files.length + at;
    const recording = await withStore(sources, context, async (store) =>
      readSession(store, (await store.find(id)).id, (remark) => listener.onRemark(source, remark)),
    );
    if (recording) yield { order: [source, 0], recording };
  }
}

/** Reports an unreadable file instead of throwing. */
async function* readFile({ path, name }: FoundFile, source: number, listener: Listener): AsyncGenerator<Recording> {
  const onRemark = (remark: TranscriptRemark) => listener.onRemark(source, { ...remark, file: name });
  try {
    yield* readTranscript(path, { name, onRemark, onBytes: (bytes) => listener.onBytes(bytes) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    onRemark({ file: name, line: 0, reason: `cannot read the file (${code})`, count: 1 });
  }
}
