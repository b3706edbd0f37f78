import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type ExecutorResult,
  newestRun,
  newRun,
  readRun,
  runsFolder,
  runTask,
  type SavedRun,
  type TaskSetup,
} from '@holdfast/agent';
import { withoutIdleKeys } from '@holdfast/agent/config';
import { type ConfigFlags, loadWithFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { openHome } from '../home.ts';
import { shellWord } from '../shell-word.ts';
import { isVouchedFor, pendingNames, settleTrust, standingOf } from '../trust/settle.ts';
import { jsonText } from '../view/harmless.ts';
import { createView, viewKind } from '../view/run/view.ts';
import { loadForRun } from './kept-speaker.ts';
import { modelBehind, taskPart } from './model-behind.ts';
import { planLines, planRun } from './plan.ts';
import { readTask } from './task-file.ts';

/** What the flags of `holdfast run` gave. */
export interface RunFlags extends ConfigFlags {
  readonly resume?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Runs a task, or says what would be run. Throws WrongUse, BAD_CONFIG, BAD_STATE or STORE_CONFLICT. */
export async function run(path: string, flags: RunFlags, given: Context): Promise<void> {
  const { cwd } = given;
  const task = readTask(cwd, path);
  const obeyed = { instructions: task, task: path };
  // A plan only shows what the folder wants.
  const context = flags.dryRun ? { ...given, trusts: true } : await settleTrust(given, flags, obeyed);
  if (flags.dryRun) {
    const { config } = loadWithFlags(context, flags);
    const plan = planRun(task, path, cwd, config);
    for (const warning of plan.warnings) context.tell(`warning: ${warning}`);
    const { pending } = isVouchedFor(given, flags) ? { pending: [] } : standingOf(given, flags, obeyed);
    if (pending.length > 0) context.tell(`not trusted yet: ${pendingNames(pending)}; a real run asks first`);
    context.print(flags.json ? jsonText(plan) : planLines(plan).join('\n'));
    return;
  }
  const runs = runsFolder(openHome(context), resolve(cwd, path));
  const newest = newestRun(runs);
  if (flags.resume && newest === undefined)
    throw new WrongUse(`there is no run of ${path} to resume: start one without --resume`);
  const status = savedIn(newest)?.status;
  if (flags.resume && status === 'completed')
    context.tell(`the last run of ${path} is complete; this is its result. Omit --resume to start a new run`);
  const { config, file, speaker } = loadForRun(context, flags, flags.resume ? savedIn(newest) : undefined);
  const model = await modelBehind(config, context, () => taskPart(config, cwd));
  if (!flags.resume && status !== undefined && status !== 'completed')
    context.tell(`an earlier run of ${path} did not finish; starting a new one`);
  for (const line of model.notice) context.tell(line);
  try {
    const folder = flags.resume && newest !== undefined ? newest : newRun(runs);
    const configured = file === undefined ? {} : { config_file: file };
    const used = withoutIdleKeys(config);
    const { provider } = model;
    const setup = { task, path, workspace: cwd, config: used, ...configured, provider, speaker, folder };
    const result = await shown(setup, flags, context).finally(() => removeUnbegun(folder));
    context.end(CODES[result.status]);
  } finally {
    await model.close();
  }
}

/** A run that never began leaves nothing behind. */
function removeUnbegun(folder: string): void {
  if (!existsSync(join(folder, 'run.jsonl'))) rmSync(folder, { recursive: true, force: true });
}

/** Runs a task in front of somebody, who may end it. */
async function shown(setup: TaskSetup, flags: RunFlags, context: Context): Promise<ExecutorResult> {
  const stop = new AbortController();
  const now = new AbortController();
  const endNow = () => now.abort();
  const view = await createView({
    kind: viewKind(flags.json ?? false, process.stdout, context.env),
    title: setup.task.title,
    resume: resumeCommand(setup.path, flags),
    verbose: flags.verbose ?? false,
    onInterrupt: (times) => (times > 1 ? now : stop).abort(),
  });
  // A run that nobody watches any more has not been done: it ends, and can be resumed.
  context.whenUnread(endNow);
  // Without a terminal, as under `nohup`, somebody wants the run to outlive it; Node would end at the signal.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY;
  const hangUp = hasTerminal ? endNow : () => {};
  process.on('SIGTERM', endNow).on('SIGHUP', hangUp);
  let result: ExecutorResult | undefined;
  try {
    result = await runTask({ ...setup, stop: stop.signal, signal: now.signal, onEvent: view.onEvent });
    return result;
  } finally {
    await view.end(result);
    process.off('SIGTERM', endNow).off('SIGHUP', hangUp);
  }
}

/** A run as it was left; undefined if that cannot be read. */
function savedIn(folder: string | undefined): SavedRun | undefined {
  try {
    return folder === undefined ? undefined : readRun(folder).saved;
  } catch {
    return undefined;
  }
}

function resumeCommand(path: string, { config, provider, model, baseUrl }: RunFlags): string {
  const flags = Object.entries({ config, provider, model, 'base-url': baseUrl });
  const given = flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return ['holdfast', 'run', path, '--resume', ...given].map(shellWord).join(' ');
}

const CODES: Readonly<Record<ExecutorResult['status'], ExitCode>> = {
  completed: EXIT.done,
  failed: EXIT.failed,
  blocked: EXIT.blocked,
  stopped: EXIT.out_of_budget,
  cancelled: EXIT.interrupted,
};
