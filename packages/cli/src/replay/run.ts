import { join } from 'node:path';
import { type Report, reportOf } from '@holdfast/replay/report';
import type { Context } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { homeOf } from '../home.ts';
import { counted } from '../view/amounts.ts';
import { jsonText } from '../view/harmless.ts';
import { type Found, findFiles } from './find-files.ts';
import { openOutputs, type Write } from './outputs.ts';
import { type Plan, planOf, type ReplayFlags } from './plan.ts';
import { type Replayed, replayAll } from './replay-all.ts';
import { adviceLines, factLines, leftOutLines, meaningsFor, remarkLines, resultLines } from './table.ts';

const MOST_REMARKS = 20;

/** `holdfast replay`. Exits with 1 if there was nothing to replay. */
export async function replayFiles(named: readonly string[], flags: ReplayFlags, context: Context): Promise<void> {
  const plan = planOf(flags, context);
  const { session: sessions = [], store } = flags;
  if (named.length + sessions.length === 0) throw new WrongUse('nothing to replay: pass files, folders or patterns');
  const found = findFiles(named, context.cwd);
  const [html, missing] = outputsOf(flags, found, context);
  const sources = { files: found.files, sessions, ...(store === undefined ? {} : { store }) };
  const measured = await replayAll(sources, plan, context);
  const replayed = { ...measured, remarks: [...found.remarks, ...measured.remarks] };
  const report = reportOf(replayed.jobs, plan, flags.advise === true, replayed.leftOut);
  tellRemarks(replayed, report, plan, context);
  if (replayed.jobs.length > 0) {
    if (missing) writeMissing(missing, replayed, flags, context);
    if (html) {
      const { reportPage } = await import('@holdfast/inspector/report');
      const { reportData } = await import('./report-data.ts');
      const title = `Replay of ${counted(report.conversations, 'conversation')}`;
      html(reportPage(title, reportData(report, replayed.jobs, replayed.remarks, plan)));
      context.tell(`wrote ${flags.html}`);
    }
  }
  if (flags.json) context.print(jsonText({ ...report, skipped: replayed.remarks }));
  else if (replayed.jobs.length > 0) show(report, plan, context);
}

/** Outputs must not overwrite inputs, even under another name. */
function outputsOf(flags: ReplayFlags, { files }: Found, context: Context): (Write | undefined)[] {
  const outputs = [
    { flag: '--html', file: flags.html },
    { flag: '--missing-summaries', file: flags.missingSummaries },
  ];
  const inputs = [
    ...files.map(({ path }) => ({ flag: 'a transcript to replay', file: path })),
    { flag: 'the --summaries file', file: flags.summaries },
    { flag: 'the --prices file', file: flags.prices },
    { flag: 'the --policies file', file: flags.policies },
    { flag: 'the --store file', file: flags.store },
    { flag: 'the session database', file: join(homeOf(context), 'sessions.db') },
  ];
  return openOutputs(outputs, inputs, context.cwd);
}

function tellRemarks({ jobs, remarks }: Replayed, report: Report, plan: Plan, context: Context): void {
  const told = remarkLines(remarks);
  for (const line of told.slice(0, MOST_REMARKS)) context.tell(line);
  if (told.length > MOST_REMARKS) context.tell(`and ${told.length - MOST_REMARKS} more remarks; --json lists them all`);
  if (jobs.length > 0) return;
  for (const line of leftOutLines(report, plan)) context.tell(line);
  context.tell('no conversation to replay');
  context.end(EXIT.failed);
}

function show(report: Report, plan: Plan, context: Context): void {
  const columns = process.stdout.isTTY ? process.stdout.columns || 80 : Number(context.env.COLUMNS) || 200;
  for (const line of resultLines(report, columns, context.paint)) context.print(line);
  context.print('');
  for (const line of factLines(report, plan)) context.print(context.paint.dim(line));
  context.print('');
  for (const [word, meaning] of meaningsFor(report)) context.print(context.paint.dim(`${word}: ${meaning}.`));
  if (!report.advice) return;
  context.print('');
  for (const line of adviceLines(report.advice, report.snippet, plan.minKept)) context.print(line);
}

function writeMissing(write: Write, { jobs }: Replayed, flags: ReplayFlags, context: Context): void {
  const missing = new Map(jobs.flatMap((job) => [...job.missing]));
  write([...missing].map(([key, prompt]) => `${JSON.stringify({ key, prompt })}\n`).join(''));
  context.tell(`wrote ${flags.missingSummaries}: ${counted(missing.size, 'prompt')} without a summary`);
}
