import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { findFiles } from './find-files.ts';
import { type Plan, planOf, type ReplayFlags } from './plan.ts';
import { type Replayed, replayAll } from './replay-all.ts';
import { type Report, reportOf } from './report.ts';
import { adviceLines, factLines, MEANINGS, remarkLines, tableLines } from './table.ts';

const MOST_REMARKS = 20;

/** `holdfast replay`. Ends with 1 if there was nothing to replay. */
export async function replayFiles(named: readonly string[], flags: ReplayFlags, context: Context): Promise<void> {
  const plan = planOf(flags, context);
  const { session: sessions = [], store } = flags;
  if (named.length + sessions.length === 0) throw new WrongUse('name files, folders or patterns to replay');
  const files = findFiles(named, context.cwd);
  const [html, missing] = [flags.html, flags.missingSummaries].map((file) => file && resolve(context.cwd, file));
  // That a place cannot be written to is told now, and not once everything was measured.
  for (const path of [html, missing]) if (path) write(path, '', 'a');
  const replayed = await replayAll({ files, sessions, ...(store === undefined ? {} : { store }) }, plan, context);
  tellRemarks(replayed, context);
  const report = reportOf(replayed.jobs, plan, flags.advise === true);
  if (missing) write(missing, missingSummaries(replayed));
  if (html) {
    const { pageOf } = await import('./page/page.ts');
    write(html, pageOf(report, replayed.jobs, replayed.remarks, plan));
    context.tell(`${flags.html} is written`);
  }
  if (flags.json) context.print(JSON.stringify({ ...report, skipped: replayed.remarks }, null, 2));
  else if (replayed.jobs.length > 0) show(report, plan, context);
}

function tellRemarks({ jobs, remarks }: Replayed, context: Context): void {
  const told = remarkLines(remarks);
  for (const line of told.slice(0, MOST_REMARKS)) context.tell(line);
  if (told.length > MOST_REMARKS)
    context.tell(`and ${told.length - MOST_REMARKS} more remarks; --json has all of them`);
  if (jobs.length > 0) return;
  context.tell('there was no conversation to replay');
  context.end(EXIT.failed);
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

function missingSummaries({ jobs }: Replayed): string {
  const missing = new Map(jobs.flatMap((job) => [...job.missing]));
  return [...missing].map(([key, prompt]) => `${JSON.stringify({ key, prompt })}\n`).join('');
}

/** For its owner alone: it quotes conversations. */
function write(path: string, text: string, flag: 'a' | 'w' = 'w'): void {
  try {
    writeFileSync(path, text, { mode: 0o600, flag });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WrongUse(`${path} cannot be written (${code}): choose another place`, error);
  }
}
