import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type ExecutorResult, newestRun, newRun, readRun, runTask, type Task, type TaskSetup } from '@holdfast/agent';
import { withoutIdleKeys } from '@holdfast/agent/config';
import { isInside } from '@holdfast/agent/tools';
import type { SessionStore } from '@holdfast/sessions';
import { HoldfastError } from 'holdfast';
import { sessionOutputs } from '../chat/session-outputs.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { WrongUse } from '../failure.ts';
import { openHome } from '../home.ts';
import { loadWithFlags } from '../load-with-flags.ts';
import { reportOf } from '../runs/report/write-report.ts';
import { settingsOf, withStore } from '../sessions/open-store.ts';
import { taskPart } from '../stand-in/connect.ts';
import { ensureTrust, isTrustedByFlag, pendingNames, trustStatusOf } from '../trust/ensure-trust.ts';
import { trustedInstructions } from '../trust/trust-items.ts';
import { shellWord } from '../view/clean.ts';
import { jsonText } from '../view/harmless.ts';
import { createView, viewKind } from '../view/run/view.ts';
import { type CheckFlags, withChecks } from './checks.ts';
import { connectModel } from './connected-model.ts';
import { planLines, planRun } from './plan.ts';
import { limitFlags, loadForRun, type RunConfigFlags } from './run-config.ts';
import { readTask } from './task-file.ts';

/** The flags of `holdfast run`. */
export interface RunFlags extends RunConfigFlags, CheckFlags {
  /** True for the newest run of the task, or the id of one. */
  readonly resume?: boolean | string;
  /** Where to write an HTML report at the end. */
  readonly report?: string;
  readonly store?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** Runs a task, or shows the plan. Throws WrongUse, BAD_CONFIG, BAD_STATE or STORE_CONFLICT. */
export async function run(path: string, flags: RunFlags, given: Context): Promise<void> {
  const { cwd } = given;
  checkReport(cwd, flags);
  const task = readTask(cwd, path);
  const needs = { instructions: task, task: path };
  // A dry run only prints, so it needs no trust.
  const context = flags.dryRun ? { ...given, trusts: true } : await ensureTrust(given, flags, needs);
  if (flags.dryRun) {
    const { config } = loadWithFlags(context, flags, limitFlags(flags));
    const plan = planRun(task, path, cwd, config, flags);
    for (const warning of plan.warnings) context.tell(`warning: ${warning}`);
    const { pending } = isTrustedByFlag(given, flags) ? { pending: [] } : trustStatusOf(given, flags, needs);
    if (pending.length > 0) context.tell(`not trusted yet: ${pendingNames(pending)}; a real run asks first`);
    context.print(flags.json ? jsonText(plan) : planLines(plan).join('\n'));
    return;
  }
  const home = openHome(context);
  if (isInside(home, cwd)) {
    const text = `the state of runs (${home}) is in the workspace, where tools could change it: set HOLDFAST_HOME to a folder outside`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  const { mask_keys } = settingsOf(flags, context);
  await withStore(flags, context, (store) => runInStore(store, home, task, path, flags, context), true, { mask_keys });
}

/** A report that cannot be written should not be found out at the end of a long run. Throws WrongUse. */
function checkReport(cwd: string, { report }: RunFlags): void {
  if (report === undefined) return;
  const path = resolve(cwd, report);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new WrongUse(`--report ${report} is a folder: pass the path of a file`);
  if (!existsSync(dirname(path))) throw new WrongUse(`--report ${report}: the folder ${dirname(path)} does not exist`);
}

async function runInStore(
  store: SessionStore,
  home: string,
  task: Task,
  path: string,
  flags: RunFlags,
  context: Context,
): Promise<void> {
  const { cwd } = context;
  const full = resolve(cwd, path);
  const newest = await newestOf(store, full, flags);
  if (flags.resume && newest === undefined)
    throw new WrongUse(`there is no run of ${path} to resume: start one without --resume`);
  const status = newest?.saved.status;
  if (flags.resume && status === 'completed')
    context.tell(`the last run of ${path} is complete; this is its result. Omit --resume to start a new run`);
  const { config: loaded, file, speaker } = loadForRun(context, flags, flags.resume ? newest?.saved : undefined);
  const isOver = flags.resume && status === 'completed';
  const config = isOver ? loaded : await withChecks(loaded, task, path, flags, context);
  const model = await connectModel(config, context, () => taskPart(config, cwd));
  if (!flags.resume && status !== undefined && status !== 'completed')
    context.tell(`an earlier run of ${path} did not finish; starting a new one`);
  for (const line of model.notice) context.tell(line);
  let session: string | undefined;
  try {
    const id = flags.resume && newest ? newest.session : await newRun(store, full, task.title);
    session = id;
    const configured = file === undefined ? {} : { configFile: file };
    const used = withoutIdleKeys(config);
    const { provider } = model;
    const outputs = sessionOutputs(home, () => id, store.mask_keys);
    const setup = {
      task,
      path,
      workspace: cwd,
      config: used,
      context: trustedInstructions({ workspace: cwd, config: used, task, path }, context),
      ...configured,
      provider,
      speaker,
      store,
      session,
      outputs,
    };
    const result = await shown(setup, flags, context);
    context.end(CODES[result.status]);
    if (flags.report !== undefined) context.tell(`wrote ${await reportOf(store, id, cwd, flags.report)}`);
  } finally {
    // A run that never began leaves nothing behind.
    if (session !== undefined && !(await readRun(store, session))) await store.delete(session);
    await model.close();
  }
}

/** The newest run of a task, or the one named to resume. */
async function newestOf(store: SessionStore, task: string, { resume }: RunFlags) {
  if (typeof resume === 'string') {
    const saved = await readRun(store, resume);
    return saved && { session: resume, saved };
  }
  return await newestRun(store, task);
}

/** Runs a task with a view, and stops it on Ctrl-C and signals. */
async function shown(setup: TaskSetup, flags: RunFlags, context: Context): Promise<ExecutorResult> {
  const stop = new AbortController();
  const now = new AbortController();
  const endNow = () => now.abort();
  const view = await createView({
    kind: viewKind(flags.json ?? false, process.stdout, context.env),
    title: setup.task.title,
    resume: resumeCommand(setup.path, flags),
    show: showCommand(setup.session, flags),
    verbose: flags.verbose ?? false,
    onInterrupt: (times) => (times > 1 ? now : stop).abort(),
  });
  // If the reader closes the output, the run ends as cancelled and can be resumed.
  context.onOutputClosed(endNow);
  // Without a terminal, as under `nohup`, the run should survive SIGHUP, which would end Node.
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

function resumeCommand(path: string, { config, provider, model, baseUrl, checks }: RunFlags): string {
  const flags = Object.entries({ config, provider, model, 'base-url': baseUrl });
  const given = [
    ...flags.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(checks === undefined ? [] : [checks ? '--checks' : '--no-checks']),
  ];
  return ['holdfast', 'run', path, '--resume', ...given].map(shellWord).join(' ');
}

function showCommand(session: string, { store }: RunFlags): string {
  const where = store === undefined ? [] : ['--store', store];
  return ['holdfast', 'runs', 'show', session, ...where].map(shellWord).join(' ');
}

const CODES: Readonly<Record<ExecutorResult['status'], ExitCode>> = {
  completed: EXIT.done,
  failed: EXIT.failed,
  blocked: EXIT.blocked,
  stopped: EXIT.outOfBudget,
  cancelled: EXIT.interrupted,
};
