import { existsSync } from 'node:fs';
import type { ExecutorResult } from '@holdfast/agent';
import { resultOf } from '@holdfast/agent/run';
import type { SessionStore } from '@holdfast/sessions';
import type { ConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import { countOf } from '../flag-values.ts';
import type { CheckFlags } from '../run/checks.ts';
import { type RunFlags, run } from '../run/run.ts';
import type { ExportFlags, ListFlags, ShowFlags } from '../sessions/commands.ts';
import { isThere, withStore } from '../sessions/open-store.ts';
import { LABEL } from '../sessions/session-text.ts';
import { clean } from '../view/clean.ts';
import { jsonText } from '../view/harmless.ts';
import { wrapProse } from '../view/prose.ts';
import { summaryRows } from '../view/run/summary.ts';
import { plainStyle, terminalStyle } from '../view/style.ts';
import { type FoundRun, findRun, listRuns, newestIn } from './find-run.ts';
import { readHistory } from './history.ts';
import { writeReport } from './report/write-report.ts';
import { factsOf, runsTable, stepLine } from './run-text.ts';

export interface ResumeFlags extends ConfigFlags, CheckFlags, Pick<RunFlags, 'json' | 'verbose' | 'report'> {
  readonly store?: string;
}

/** `runs list`. */
export async function list(flags: ListFlags, context: Context): Promise<void> {
  const limit = countOf(flags.limit, '--limit', flags.json ? 0 : 20);
  const runs = isThere(flags, context) ? await withStore(flags, context, (store) => listRuns(store, limit)) : [];
  if (flags.json) return context.print(jsonText({ runs: runs.map(dataOf) }));
  if (runs.length === 0) return context.say('No runs yet: `holdfast run TASK.md` starts one.');
  context.print(runsTable(runs, Date.now(), context.paint, context.columns));
}

function dataOf({ info, saved }: FoundRun) {
  const { task, workspace, provider, speaker } = saved;
  const { status, ...result } = resultOf(info.id, saved);
  return {
    id: info.id,
    title: info.title,
    status,
    ...(task === undefined ? {} : { task }),
    workspace,
    provider,
    ...(speaker?.model === undefined ? {} : { model: speaker.model }),
    created: info.created,
    updated: info.updated,
    result,
  };
}

/** `runs show`. */
export async function show(id: string | undefined, flags: ShowFlags, context: Context): Promise<void> {
  const last = countOf(flags.last, '--last', 10);
  await withStore(flags, context, async (store) => {
    const found = await runOf(store, id, context);
    const { steps } = await readHistory(store, found.info.id);
    if (flags.json) return context.print(jsonText({ ...dataOf(found), steps: steps.slice(-last) }));
    const { info, saved } = found;
    for (const line of factsOf(found, Date.now())) context.print(wrapProse(line, context.columns, ' '.repeat(LABEL)));
    context.print('');
    for (const step of steps.slice(-last)) context.print(stepLine(step, context));
    const columns = context.columns === undefined ? 80 : context.columns - 1;
    const style = context.columns === undefined ? plainStyle : terminalStyle(context.env);
    const result = { ...resultOf(info.id, saved), status: saved.status } as ExecutorResult;
    const resume = saved.status === 'completed' ? undefined : `holdfast runs resume ${info.id}`;
    context.print(summaryRows({ title: info.title, result, resume, columns }, style).join('\n'));
  });
}

/** `runs report`. */
export async function report(id: string | undefined, flags: ExportFlags, context: Context): Promise<void> {
  await withStore(flags, context, async (store) => {
    const found = await runOf(store, id, context);
    const path = await writeReport(store, found, context.cwd, flags.output ?? `${found.info.id}.html`);
    context.say(`Wrote ${clean(path)}`);
  });
}

/** `runs resume`: as `run --resume` would, in the folder of the run. */
export async function resume(id: string | undefined, flags: ResumeFlags, context: Context): Promise<void> {
  const { info, saved } = await withStore(flags, context, (store) =>
    id === undefined ? newestIn(store, context.cwd, true) : findRun(store, id),
  );
  const { task, workspace } = saved;
  if (task === undefined)
    throw new WrongUse(
      `run ${info.id} does not say where its task is: \`holdfast run TASK.md --resume\` in ${workspace}`,
    );
  if (!existsSync(task)) throw new WrongUse(`the task of run ${info.id} is gone: ${task}`);
  if (!existsSync(workspace)) throw new WrongUse(`the folder of run ${info.id} is gone: ${workspace}`);
  if (workspace !== context.cwd) context.tell(`in ${workspace}`);
  process.chdir(workspace);
  await run(task, { ...flags, resume: info.id }, { ...context, cwd: workspace });
}

function runOf(store: SessionStore, id: string | undefined, context: Context): Promise<FoundRun> {
  return id === undefined ? newestIn(store, context.cwd) : findRun(store, id);
}
