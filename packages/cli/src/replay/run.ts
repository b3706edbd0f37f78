import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Recording, Remark } from '@holdfast/agent/transcripts';
import { readSession, readTranscript } from '@holdfast/agent/transcripts';
import { messageSize } from 'holdfast/replay';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { clean } from '../view/text.ts';
import { type FoundFile, findFiles } from './find-files.ts';
import type { JobResult } from './job.ts';
import { type Plan, planOf, type ReplayFlags } from './plan.ts';
import { createPool, type Pool } from './pool.ts';
import { createProgress } from './progress.ts';
import { type Report, reportOf } from './report.ts';
import { adviceLines, factLines, MEANINGS, remarkLines, tableLines } from './table.ts';

/** `holdfast replay`. Ends with 1 if there was nothing to replay. */
export async function replayFiles(named: readonly string[], flags: ReplayFlags, context: Context): Promise<void> {
  const plan = planOf(flags, context);
  if (named.length === 0 && !flags.session?.length) throw new WrongUse('name files, folders or patterns to replay');
  const files = findFiles(named, context.cwd);
  // Not only once everything was measured.
  for (const file of [flags.html, flags.missingSummaries])
    if (file !== undefined) write(resolve(context.cwd, file), '', 'a');
  const remarks: Remark[] = [];
  const pool = createPool(plan.workers, plan.settings);
  let jobs: JobResult[];
  try {
    jobs = await replayAll(files, flags, plan, pool, remarks, context);
  } finally {
    await pool.close();
  }
  const told = remarkLines(remarks);
  for (const line of told.slice(0, 20)) context.tell(line);
  if (told.length > 20) context.tell(`and ${told.length - 20} more remarks; --json has all of them`);
  if (jobs.length === 0) {
    context.tell('there was no conversation to replay');
    context.end(EXIT.failed);
  }
  const report = reportOf(jobs, plan, flags.advise === true);
  if (flags.missingSummaries !== undefined) writeMissing(resolve(context.cwd, flags.missingSummaries), jobs);
  if (flags.html !== undefined) {
    const { pageOf } = await import('./page/page.ts');
    write(resolve(context.cwd, flags.html), pageOf(report, jobs, remarks, plan));
    context.tell(`${flags.html} is written`);
  }
  if (flags.json) context.print(JSON.stringify({ ...report, skipped: remarks }, null, 2));
  else if (jobs.length > 0) show(report, plan, context);
}

function show(report: Report, plan: Plan, context: Context): void {
  const columns = process.stdout.isTTY ? process.stdout.columns || 80 : Number(context.env.COLUMNS) || 200;
  for (const line of tableLines(report, columns, context.paint)) context.print(line);
  context.print('');
  for (const line of factLines(report, plan.unmeasured)) context.print(context.paint.dim(line));
  context.print('');
  for (const [word, meaning] of MEANINGS) context.print(context.paint.dim(`${word}: ${meaning}.`));
  if (!report.advice) return;
  context.print('');
  for (const line of adviceLines(report.advice, report.snippet, plan.minCoverage)) context.print(line);
}

/** A conversation in its place among all. */
interface Placed {
  readonly order: readonly [file: number, conversation: number];
  readonly recording: Recording;
  readonly bytes: number;
}

/** Large files first, so that no thread is left with the largest at the end; the results in the order of the files. */
async function replayAll(
  files: readonly FoundFile[],
  flags: ReplayFlags,
  plan: Plan,
  pool: Pool,
  remarks: Remark[],
  context: Context,
): Promise<JobResult[]> {
  const done: { readonly order: Placed['order']; result: JobResult }[] = [];
  const failed: { readonly order: Placed['order']; readonly remark: Remark }[] = [];
  const running = new Set<Promise<void>>();
  const progress = createProgress(
    process.stderr,
    files.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  let bytes = 0;
  const told: { readonly file: number; readonly remark: Remark }[] = [];
  for await (const { order, recording, bytes: size } of conversations(files, flags, context, told)) {
    const isLong = sizeOf(recording) >= plan.minTokens;
    if (!isLong) {
      bytes += size;
      continue;
    }
    const { begun, reply } = pool.run(recording);
    const finished = reply.then((answer) => {
      if (answer.type === 'done') {
        done.push({ order, result: answer.result });
        keepLargestTraces(done, plan);
      } else
        failed.push({
          order,
          remark: { file: recording.name, line: 0, reason: clean(`left out: ${answer.why}`), count: 1 },
        });
      bytes += size;
      progress.at(bytes, done.length);
      running.delete(finished);
    });
    running.add(finished);
    await begun;
  }
  await Promise.all(running);
  progress.end();
  remarks.push(...told.sort((a, b) => a.file - b.file).map(({ remark }) => remark));
  remarks.push(...failed.sort(byOrder).map(({ remark }) => remark));
  return done.sort(byOrder).map(({ result }) => result);
}

const PANELS = 40;
const CONVERSATIONS = 5;

/** A page shows some conversations; the calls of the others need no memory. */
function keepLargestTraces(done: { readonly order: Placed['order']; result: JobResult }[], { settings }: Plan): void {
  const most = Math.max(1, Math.min(CONVERSATIONS, Math.floor(PANELS / settings.combinations.length)));
  const traced = done.filter(({ result }) => result.traces !== undefined);
  const smallest = traced.toSorted((a, b) => a.result.baseline.peak - b.result.baseline.peak || byOrder(b, a));
  for (const one of smallest.slice(0, Math.max(0, traced.length - most))) {
    const { traces: _, ...rest } = one.result;
    one.result = rest;
  }
}

function byOrder(a: Pick<Placed, 'order'>, b: Pick<Placed, 'order'>): number {
  return a.order[0] - b.order[0] || a.order[1] - b.order[1];
}

async function* conversations(
  files: readonly FoundFile[],
  flags: ReplayFlags,
  context: Context,
  told: { readonly file: number; readonly remark: Remark }[],
): AsyncGenerator<Placed> {
  const largestFirst = files
    .map((file, at) => ({ file, at }))
    .sort((a, b) => b.file.bytes - a.file.bytes || a.at - b.at);
  for (const { file, at } of largestFirst) {
    const onRemark = (remark: Remark) => void told.push({ file: at, remark: { ...remark, file: file.name } });
    let number = 0;
    for await (const recording of readFile(file, onRemark)) {
      yield { order: [at, number], recording, bytes: number === 0 ? file.bytes : 0 };
      number += 1;
    }
  }
  const { session: ids = [] } = flags;
  if (ids.length === 0) return;
  const { withStore } = await import('../sessions/open-store.ts');
  for (const [at, id] of ids.entries()) {
    const order = files.length + at;
    const onRemark = (remark: Remark) => void told.push({ file: order, remark });
    const recording = await withStore(flags, context, async (store) =>
      readSession(store, (await store.find(id)).id, onRemark),
    );
    if (recording) yield { order: [order, 0], recording, bytes: 0 };
  }
}

/** A file that cannot be read is told of; the others are read. */
async function* readFile({ path, name }: FoundFile, onRemark: (remark: Remark) => void): AsyncGenerator<Recording> {
  try {
    yield* readTranscript(path, { name, onRemark });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    onRemark({ file: path, line: 0, reason: `the file cannot be read (${code})`, count: 1 });
  }
}

function sizeOf({ messages }: Recording): number {
  return messages.reduce((sum, message) => sum + messageSize(message), 0);
}

function writeMissing(path: string, jobs: readonly JobResult[]): void {
  const missing = new Map(jobs.flatMap((job) => [...job.missing]));
  write(path, [...missing].map(([key, prompt]) => `${JSON.stringify({ key, prompt })}\n`).join(''));
}

function write(path: string, text: string, flag: 'a' | 'w' = 'w'): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`${path} cannot be written (${code}): choose another place`, error);
  }
}
