import { join, relative } from 'node:path';
import { type ExecutorResult, newestRun, newRun, readRun, runsFolder, runTask } from '@holdfast/agent';
import { type ConfigFlags, loadWithFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { openHome } from '../home.ts';
import { createView, viewKind } from '../view/view.ts';
import { modelBehind } from './model-behind.ts';
import { planLines, planRun } from './plan.ts';
import { readTask } from './task-file.ts';

/** What the flags of `holdfast run` gave. */
export interface RunFlags extends ConfigFlags {
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Runs a task to its end, and says how it ended. Throws WrongUse and BAD_CONFIG before anything is done. */
export async function runCommand(path: string, flags: RunFlags, context: Context): Promise<void> {
  const { cwd } = context;
  const task = readTask(cwd, path);
  const { config } = loadWithFlags(context, flags);
  if (flags.dryRun) {
    const plan = planRun(task, path, cwd, config);
    for (const warning of plan.warnings) context.tell(`warning: ${warning}`);
    context.print(flags.json ? JSON.stringify(plan, null, 2) : planLines(plan).join('\n'));
    return;
  }
  const runs = runsFolder(openHome(context), join(cwd, relative(cwd, path)));
  const folder = folderOf(runs, path, flags, context);
  const model = await modelBehind(config, cwd);
  const stop = new AbortController();
  const now = new AbortController();
  const onInterrupt = (times: number) => (times > 1 ? now : stop).abort();
  const endNow = () => now.abort();
  const kind = viewKind(flags.json ?? false, process.stdout, context.env);
  if (model.notice && kind !== 'json') context.tell(model.notice);
  const view = await createView({
    kind,
    title: task.title,
    resume: resumeCommand(path, flags),
    verbose: flags.verbose ?? false,
    onInterrupt,
  });
  process.on('SIGTERM', endNow).on('SIGHUP', endNow);
  let result: ExecutorResult | undefined;
  try {
    result = await runTask({
      task,
      path,
      workspace: cwd,
      config,
      provider: model.provider,
      folder,
      stop: stop.signal,
      signal: now.signal,
      onEvent: view.onEvent,
    });
  } finally {
    await view.end(result);
    await model.close();
    process.off('SIGTERM', endNow).off('SIGHUP', endNow);
  }
  context.end(codeOf(result));
}

/** A new folder, or that of the run to go on with. */
function folderOf(runs: string, path: string, { resume }: RunFlags, context: Context): string {
  const newest = newestRun(runs);
  if (resume) {
    if (newest === undefined)
      throw new WrongUse(`there is no run of ${path} to go on with: start one without --resume`);
    return newest;
  }
  if (newest !== undefined && isUnfinished(newest))
    context.tell(`an earlier run of ${path} was not finished; this is a new one (--resume goes on with the newest)`);
  return newRun(runs);
}

function isUnfinished(folder: string): boolean {
  try {
    return readRun(join(folder, 'run.jsonl')).saved.status !== 'completed';
  } catch {
    return false;
  }
}

function resumeCommand(path: string, { config, provider, model, baseUrl }: RunFlags): string {
  const flags = Object.entries({ config, provider, model, 'base-url': baseUrl });
  const given = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return ['holdfast', 'run', path, '--resume', ...given].map(quoted).join(' ');
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const CODES: Readonly<Record<ExecutorResult['status'], ExitCode>> = {
  completed: EXIT.done,
  failed: EXIT.failed,
  blocked: EXIT.blocked,
  stopped: EXIT.out_of_budget,
  cancelled: EXIT.interrupted,
};

function codeOf({ status }: ExecutorResult): ExitCode {
  return CODES[status];
}
