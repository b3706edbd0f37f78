import { dirname, join, resolve } from 'node:path';
import { storeFiles } from '@holdfast/sessions';
import { HoldfastError } from 'holdfast';
import type { HoldfastConfig } from '../config/config.ts';
import { fullConversation } from '../loop/window-config.ts';
import { keepsConversation } from '../providers/index.ts';
import type { Checkpoint, ExecutionResult, Provider } from '../providers/provider.ts';
import { createTools, type Tools } from '../tools/create-tools.ts';
import { messageOf } from '../tools/failure.ts';
import { folderOutputs } from '../tools/outputs/folder-outputs.ts';
import { isTooDear, outOf, overBudget } from './budgets.ts';
import { loadContext } from './context.ts';
import { isInside } from './inside.ts';
import { withoutInstructions } from './instructions.ts';
import { blockedReason, COMPLETE, nextPrompt, systemPrompt } from './prompts.ts';
import { openRun, type RunLine, type RunSpeaker, type RunStore, type SavedRun } from './run-store.ts';
import { firstRun, resumedRun, withLines } from './saved-run.ts';
import type { ExecutorEvent, ExecutorResult } from './state.ts';
import { createStopping, type Stopping } from './stopping.ts';
import type { Task } from './task.ts';
import { addProgress } from './totals.ts';
import { uncheckedCommands } from './unchecked.ts';
import { validate } from './validation.ts';
import { createWatch, type Watch } from './watch.ts';

/** What a task is run with. */
export interface TaskSetup {
  readonly task: Task;
  /** The task's own file. */
  readonly path: string;
  readonly workspace: string;
  readonly config: HoldfastConfig;
  /** Where the configuration was read from: no tool writes to it, nor to the task. */
  readonly config_file?: string;
  readonly provider: Provider;
  /** Who answers, for those who resume the run. */
  readonly speaker?: RunSpeaker;
  /** Of this run: a new one, or one to go on with. It must not lie in the workspace. */
  readonly folder: string;
  /** Ends the run now. */
  readonly signal?: AbortSignal;
  /** Ends the run after the tool call under way. */
  readonly stop?: AbortSignal;
  readonly onEvent?: (event: ExecutorEvent) => void;
}

/**
 * Runs a task until it is complete, blocked or out of a budget, or goes on with a run that was cut off. What a model, a tool
 * or a network does is in the result; throws BAD_CONFIG, BAD_STATE or STORE_CONFLICT before anything is sent.
 */
export async function runTask(setup: TaskSetup): Promise<ExecutorResult> {
  const { workspace, folder, task } = setup;
  if (isInside(folder, workspace)) {
    const text = `the state of runs (${dirname(folder)}) lies in the workspace, where tools could change it: set HOLDFAST_HOME to a folder outside`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  const context = loadContext(setup);
  const store = openRun(folder);
  const first = firstRun(setup.config.provider.type, resolve(workspace), context, setup.speaker);
  const executor = new Executor(setup, first, store);
  try {
    if (store.found) checkSame(store.found.saved, setup, first, executor.watch);
    return await executor.toEnd([...task.warnings, ...context.warnings, ...uncheckedWarnings(setup)]);
  } finally {
    await executor.close();
    store.close();
  }
}

/** A conversation with one API cannot go on with another, nor the work in one folder in another. */
function checkSame(saved: SavedRun, { workspace, config }: TaskSetup, first: SavedRun, { logger }: Watch): void {
  const { provider } = config;
  if (saved.workspace !== resolve(workspace)) {
    const text = `this run works in ${saved.workspace}, not in ${resolve(workspace)}: resume it there, or start anew without --resume`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  if (saved.provider !== provider.type) {
    const text = `this run was begun with ${saved.provider} and cannot go on with ${provider.type}: resume with --provider ${saved.provider}, or start anew without --resume`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  if (saved.given !== first.given && saved.totals.requests > 0)
    logger.warn(
      'the task, the rules, the role or the skills have changed since this run began, and it goes on with what they were',
    );
}

/** What is said of commands in the Definition of Done that nothing checks. Pure. */
export function uncheckedWarnings({ task, config }: Pick<TaskSetup, 'task' | 'config'>): string[] {
  return uncheckedCommands(task, config.validation.commands).map(
    (command) =>
      `not checked: the Definition of Done names "${command}", and nothing runs it. Add it to validation.commands`,
  );
}

/** Categories that trying again does not mend. */
const FOR_GOOD: readonly unknown[] = ['auth', 'invalid_request', 'context_overflow'];

/** One run, from wherever it stands to its end. */
class Executor {
  readonly watch: Watch;
  readonly #setup: TaskSetup;
  readonly #store: RunStore;
  readonly #stopping: Stopping;
  #tools: Tools | undefined;
  #run: SavedRun;
  /** Added since the run was saved. */
  #lines: RunLine[] = [];
  #warned = false;
  /** Why the state cannot be written any more. */
  #unsaved: string | undefined;

  constructor(setup: TaskSetup, first: SavedRun, store: RunStore) {
    const { config, signal, stop } = setup;
    const { max_iterations, max_minutes } = config.execution;
    const { found } = store;
    this.#setup = setup;
    this.#store = store;
    this.#run = found ? resumedRun(found.saved, found.lines, first) : first;
    this.watch = createWatch(max_iterations, this.#run.totals, setup.onEvent);
    this.#stopping = createStopping({
      signal,
      stop,
      left_ms: max_minutes > 0 ? max_minutes * 60_000 - this.#run.totals.elapsed_ms : Number.POSITIVE_INFINITY,
      isInStep: () => this.watch.state().phase === 'tool',
    });
  }

  async toEnd(warnings: readonly string[]): Promise<ExecutorResult> {
    try {
      return await this.#steps(warnings);
    } catch (error) {
      if (this.#unsaved === undefined) throw error;
      return this.#stopped({});
    }
  }

  async #steps(warnings: readonly string[]): Promise<ExecutorResult> {
    const { config } = this.#setup;
    if (this.#run.status === 'completed') return this.#ended('completed', { summary: this.#run.outcome?.text ?? '' });
    // Before anybody hears of the run, so that it can be resumed whatever happens.
    this.#save({ status: 'running' });
    for (const warning of warnings) this.watch.logger.warn(warning);
    if (!keepsConversation(config.provider)) this.#tools = await this.#startTools();
    for (;;) {
      const over = outOf(this.#run, config.execution);
      if (over) return this.#ended('stopped', over);
      const result = this.#run.stage === 'ended' ? await this.#check() : await this.#execute();
      if (result) return result;
    }
  }

  async close(): Promise<void> {
    this.#stopping.close();
    await this.#tools?.close();
  }

  /** The files that the next run would obey. */
  #obeyed(): string[] {
    const { workspace, path, config_file } = this.#setup;
    return [path, ...(config_file === undefined ? [] : [config_file])].map((one) => resolve(workspace, one));
  }

  #startTools(): Promise<Tools> {
    const { workspace, task, config } = this.#setup;
    const { timeout, ...wanted } = config.tools;
    return createTools({
      ...wanted,
      workspace,
      scope: withoutInstructions(task.scope, config),
      outputs: folderOutputs(join(this.#store.folder, 'outputs')),
      time_limit_ms: timeout * 1_000,
      mcp_servers: config.mcp_servers,
      protected: this.#obeyed(),
      unreachable: storeFiles(config.sessions.store),
      signal: this.#stopping.signal,
      logger: this.watch.logger,
      onOutcome: (outcome) => this.#add({ type: 'outcome', outcome }),
    });
  }

  /** One execution, from its prompt or from where it was cut off. Gives a result if the run is over. */
  async #execute(): Promise<ExecutorResult | undefined> {
    const { provider, workspace, config } = this.#setup;
    const { iteration, totals: base, stage, prompt, conversationState } = this.#run;
    this.watch.show({ iteration, phase: 'model' });
    this.watch.emit({ type: 'iteration-start', iteration });
    const result = await provider.execute(stage === 'open' ? '' : prompt, {
      ...optionsOf(config, this.#tools),
      ...(conversationState === undefined ? { pin_prompt: true } : { conversationState }),
      cwd: workspace,
      archive: this.#store.archive,
      signal: this.#stopping.signal,
      logger: this.watch.logger,
      onEvent: this.watch.provider,
      onCheckpoint: (checkpoint) => this.#reached(checkpoint, base),
    });
    if (result.conversationMetrics) this.watch.conversation(result.conversationMetrics);
    const merged = withLines(this.#run, this.#lines);
    // Providers without checkpoints tell of their calls only as they happen.
    const calls = keepsConversation(config.provider) ? this.watch.state().calls : merged.totals.calls;
    const totals = { ...addProgress(base, result), calls };
    this.watch.used(totals);
    if (result.success) {
      const outcome = merged.outcome ?? spokenOutcome(result);
      const done = keepsConversation(config.provider) ? calls - base.calls : merged.calls;
      const state = result.conversationState;
      this.#save({
        ...merged,
        stage: 'ended',
        calls: done,
        conversationState: state,
        totals,
        ...(outcome && { outcome }),
      });
    }
    if (this.#stopping.wish) return this.#stopped(result.success ? {} : { ...merged, totals });
    return result.success ? undefined : this.#failed(result, { ...merged, totals });
  }

  #reached(checkpoint: Checkpoint, base: SavedRun['totals']): void {
    if (checkpoint.type !== 'state') this.#add(checkpoint);
    else {
      const { conversationState, progress } = checkpoint;
      const merged = withLines(this.#run, this.#lines);
      const totals = { ...addProgress(base, progress), calls: merged.totals.calls };
      this.#save({ ...merged, stage: 'open', conversationState, totals });
      this.watch.used(totals);
      this.#watchMoney();
    }
    if (checkpoint.type !== 'call') this.#stopping.stepEnded();
  }

  #watchMoney(): void {
    const { execution } = this.#setup.config;
    if (isTooDear(this.#run, execution)) this.#stopping.now('cost');
    if (execution.max_cost === 0 || this.#run.totals.cost || this.#warned) return;
    this.#warned = true;
    this.watch.logger.warn(
      'the prices of this model are not known, so execution.max_cost cannot be held: say them under models',
    );
  }

  /** The run stays as it was at the last checkpoint, and can go on from there. */
  #stopped(change: Partial<SavedRun>): ExecutorResult {
    this.#save(change);
    const { wish = 'cancelled' } = this.#stopping;
    if (this.#unsaved !== undefined || wish === 'disk') {
      const reason = `the state of the run could not be written (${this.#unsaved}): make room in ${this.#store.folder}, and resume`;
      return this.#ended('failed', { reason });
    }
    if (wish === 'cancelled') return this.#ended('cancelled', { reason: 'the run was ended by somebody' });
    return this.#ended('stopped', overBudget(wish, this.#run, this.#setup.config.execution));
  }

  #failed(result: ExecutionResult, merged: SavedRun): ExecutorResult | undefined {
    const { error = 'unknown', errorCategory = 'unknown' } = result;
    const { max_consecutive_failures: most } = this.#setup.config.execution;
    const { stage, iteration } = merged;
    const isForGood = FOR_GOOD.includes(errorCategory);
    // An iteration that ran out of time while it worked has not failed: the next goes on with it.
    const hasWorked = merged.calls > 0;
    const failures = hasWorked && errorCategory === 'timeout' ? 0 : hasWorked ? 1 : merged.failures + 1;
    const state = stage === 'open' ? merged.conversationState : (result.conversationState ?? merged.conversationState);
    const next = isForGood ? iteration : iteration + 1;
    this.watch.show({ lastError: error });
    this.#save({ ...merged, failures, conversationState: state, calls: 0, iteration: next });
    if (isForGood) return this.#ended('failed', { reason: error, errorCategory });
    this.watch.logger.warn(`Iteration ${iteration} ended early (${errorCategory}): ${error}`);
    if (failures < most) return undefined;
    const reason = `${failures} iterations in a row failed (execution.max_consecutive_failures: ${most}); the last: ${error}`;
    return this.#ended('stopped', { budget: 'failures', errorCategory, reason });
  }

  /** The project's checks after an execution, and what follows from them. Gives a result if the run is over. */
  async #check(): Promise<ExecutorResult | undefined> {
    const { config, workspace } = this.#setup;
    const { commands, timeout } = config.validation;
    if (commands.length > 0) this.watch.show({ phase: 'validation' });
    const validation = await validate({
      commands,
      workspace,
      protected: this.#obeyed(),
      time_limit_ms: timeout * 1_000,
      pass_env: config.tools.pass_env,
      signal: this.#stopping.signal,
      onResult: (result) => this.watch.emit({ type: 'validation-end', result }),
    });
    if (this.#stopping.wish) return this.#stopped({});
    this.#save({ validation });
    const { outcome } = this.#run;
    if (outcome?.type === 'blocked') return this.#ended('blocked', { summary: outcome.text, reason: outcome.text });
    if (outcome && validation.every(({ passed }) => passed)) return this.#ended('completed', { summary: outcome.text });
    return this.#goOn();
  }

  #goOn(): ExecutorResult | undefined {
    const { outcome, ...run } = this.#run;
    const { max_consecutive_failures: most } = this.#setup.config.execution;
    const isIdle = run.calls === 0;
    const why = outcome ? 'claimed' : isIdle ? 'idle' : 'unfinished';
    const failures = isIdle ? run.failures + 1 : 0;
    const iteration = run.iteration + 1;
    const prompt = nextPrompt(iteration, run.validation, why);
    this.#run = run;
    this.#save({ stage: 'prompt', iteration, calls: 0, failures, prompt });
    if (failures < most) return undefined;
    const reason = `${failures} iterations in a row did nothing (execution.max_consecutive_failures: ${most}): say more clearly in the task what is to be done, or try another model`;
    return this.#ended('stopped', { budget: 'failures', reason });
  }

  #ended(
    status: ExecutorResult['status'],
    more: Partial<Pick<ExecutorResult, 'summary' | 'reason' | 'budget' | 'errorCategory'>>,
  ): ExecutorResult {
    if (this.#run.status !== 'completed') this.#save({ status });
    const { max_iterations } = this.#setup.config.execution;
    this.watch.show({ status, phase: 'ended', iteration: Math.min(this.#run.iteration, max_iterations) });
    const { validation, totals } = this.#run;
    const { filesChanged } = totals;
    return {
      ...this.watch.state(),
      status,
      summary: '',
      ...more,
      filesChanged,
      validation,
      unchecked: uncheckedCommands(this.#setup.task, this.#setup.config.validation.commands),
      folder: this.#store.folder,
    };
  }

  #save(change: Partial<SavedRun>): void {
    const totals = { ...(change.totals ?? this.#run.totals), elapsed_ms: this.watch.state().elapsed_ms };
    this.#run = { ...this.#run, ...change, totals };
    this.#lines = [];
    this.#write(() => this.#store.save(this.#run));
  }

  #add(line: RunLine): void {
    this.#lines.push(line);
    this.#write(() => this.#store.add(line));
  }

  /** What cannot be written ends the run as it was: going on would be work that nobody could resume. */
  #write(write: () => void): void {
    if (this.#unsaved !== undefined) return;
    try {
      write();
    } catch (error) {
      this.#unsaved = messageOf(error);
      this.#stopping.now('disk');
      throw error;
    }
  }
}

function optionsOf({ provider, execution, models }: HoldfastConfig, tools: Tools | undefined) {
  const { model, max_output, thinking } = provider;
  return {
    system: systemPrompt(tools !== undefined),
    ...(tools ? { tools: tools.tools } : {}),
    conversation: fullConversation(execution),
    models,
    completion_signals: [COMPLETE],
    ...(model === undefined ? {} : { model }),
    ...(max_output === undefined ? {} : { max_output }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(execution.timeout_per_iteration > 0 ? { time_limit_ms: execution.timeout_per_iteration * 1_000 } : {}),
  };
}

function spokenOutcome({ completionSignal, output }: ExecutionResult): SavedRun['outcome'] {
  const reason = blockedReason(output);
  if (reason !== undefined) return { type: 'blocked', text: reason };
  return completionSignal === undefined ? undefined : { type: 'complete', text: output.replace(COMPLETE, '').trim() };
}
