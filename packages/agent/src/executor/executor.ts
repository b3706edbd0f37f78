import { resolve } from 'node:path';
import {
  type Conversation,
  type SessionEntry,
  type SessionStore,
  storeFiles,
  type WireMessage,
} from '@holdfast/sessions';
import { HoldfastError, isHoldfastError, maskSecrets } from 'holdfast';
import type { HoldfastConfig } from '../config/config.ts';
import { NO_CALLS, type OpenCalls } from '../loop/open-calls.ts';
import { fullConversation } from '../loop/window-config.ts';
import { keepsConversation } from '../providers/index.ts';
import type { Checkpoint, ExecutionResult, Provider } from '../providers/provider.ts';
import { openSession, ownState, requestsOf } from '../session/open-session.ts';
import { answerEntries, promptEntries } from '../session/own-conversation.ts';
import { createTools, type Tools } from '../tools/create-tools.ts';
import { messageOf } from '../tools/failure.ts';
import type { OutputStore } from '../tools/outputs/outputs.ts';
import { isTooDear, outOf, overBudget } from './budgets.ts';
import { type Context, loadContext } from './context.ts';
import { createExecutionLog, type ExecutionLog } from './execution-log.ts';
import { checkFree, thisProcess } from './holder.ts';
import { withoutInstructions } from './instructions.ts';
import { COMPLETE, nextPrompt, spokenOutcome, systemPrompt } from './prompts.ts';
import {
  changeOf,
  firstRun,
  iterationsOf,
  openOf,
  type RunSpeaker,
  restoredRun,
  resumedRun,
  type SavedRun,
  workOf,
} from './run-log.ts';
import type { ExecutorEvent, ExecutorResult } from './state.ts';
import { createStopping, type Stopping } from './stopping.ts';
import type { Task } from './task.ts';
import { addProgress } from './totals.ts';
import { proposedChecks, uncheckedCommands } from './unchecked.ts';
import { validate } from './validation.ts';
import { createWatch, type Watch } from './watch.ts';

/** How to run a task. */
export interface TaskSetup {
  readonly task: Task;
  /** The task's own file. */
  readonly path: string;
  readonly workspace: string;
  readonly config: HoldfastConfig;
  /** Rules, role, skills and task as they were checked. By default they are read from the workspace. */
  readonly context?: Context;
  /** The configuration's file: tools may write neither to it nor to the task. */
  readonly configFile?: string;
  readonly provider: Provider;
  /** What answers; a resumed run keeps it. */
  readonly speaker?: RunSpeaker;
  readonly store: SessionStore;
  /** The run's session: from `newRun`, or of a run to resume. */
  readonly session: string;
  /** Stores long tool results, outside the workspace. */
  readonly outputs: OutputStore;
  /** Ends the run now. */
  readonly signal?: AbortSignal;
  /** Ends the run after the current tool call. */
  readonly stop?: AbortSignal;
  readonly onEvent?: (event: ExecutorEvent) => void;
}

/**
 * Runs a task until it is complete, blocked or out of budget, or resumes a run. Failures of models, tools and networks are in
 * the result; throws BAD_CONFIG, BAD_STATE, BAD_STORE or STORE_CONFLICT before anything is sent.
 */
export async function runTask(setup: TaskSetup): Promise<ExecutorResult> {
  const { workspace, store, session, task, provider, config } = setup;
  const { context = loadContext(setup) } = setup;
  const path = resolve(workspace, setup.path);
  const first = firstRun(config.provider.type, resolve(workspace), context, setup.speaker, path);
  const conversation = await openSession(store, session, provider.dialect);
  const isBegun = conversation.messages > 0;
  const found = await restoredRun(store, session, provider.hold && isBegun ? conversation.state() : undefined);
  checkFree(found?.holder);
  // An unanswered prompt is sent again, with today's files.
  if (found?.totals.requests === 0 && isBegun) await conversation.rewind(0);
  const own = provider.hold ? undefined : await ownState(store, session);
  const executor = new Executor(setup, found ? resumedRun(found, first) : first, conversation, own);
  try {
    if (found) checkSame(found, setup, first, executor.watch);
    return await executor.toEnd([...task.warnings, ...context.warnings, ...uncheckedWarnings(setup)]);
  } finally {
    await executor.close();
  }
}

/** A run keeps its provider and its folder. */
function checkSame(saved: SavedRun, { workspace, config }: TaskSetup, first: SavedRun, { logger }: Watch): void {
  const { provider } = config;
  if (saved.workspace !== resolve(workspace)) {
    const text = `this run works in ${saved.workspace}, not in ${resolve(workspace)}: resume it there, or start a new one without --resume`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  if (saved.provider !== provider.type) {
    const text = `this run started with ${saved.provider} and cannot continue with ${provider.type}: resume with --provider ${saved.provider}, or start a new one without --resume`;
    throw new HoldfastError('BAD_CONFIG', text);
  }
  if (saved.given !== first.given && saved.totals.requests > 0)
    logger.warn(
      'the task, the rules, the role or the skills have changed since this run began; it continues with the old ones',
    );
}

/** Warnings about commands in the Definition of Done that no check runs. Pure. */
export function uncheckedWarnings({ task, config }: Pick<TaskSetup, 'task' | 'config'>): string[] {
  const { commands } = config.validation;
  const proposed = uncheckedCommands(
    { definitionOfDone: proposedChecks(task, commands).map((one) => `\`${one}\``) },
    [],
  );
  return uncheckedCommands(task, commands).map((command) => {
    const fix = proposed.includes(command) ? 'pass --checks' : 'put it in backticks';
    return `not checked: the Definition of Done names "${command}", and nothing runs it: ${fix}, or add it to validation.commands`;
  });
}

/** Categories of errors that a retry does not fix. */
const FOR_GOOD: readonly unknown[] = ['auth', 'invalid_request', 'context_overflow'];

/** Runs one task from its current state to its end. */
class Executor {
  readonly watch: Watch;
  readonly #setup: TaskSetup;
  readonly #conversation: Conversation<WireMessage>;
  /** The newest state of a provider that keeps its own conversation. */
  #own: unknown;
  readonly #stopping: Stopping;
  #tools: Tools | undefined;
  #run: SavedRun;
  /** The run as the log has it. */
  #saved: Partial<SavedRun> = {};
  #warned = false;
  /** Why writing failed; the run then ends. */
  #unsaved: { readonly error: unknown } | undefined;

  constructor(setup: TaskSetup, run: SavedRun, conversation: Conversation<WireMessage>, own: unknown) {
    const { config, signal, stop } = setup;
    const { max_iterations, max_minutes } = config.execution;
    this.#setup = setup;
    this.#conversation = conversation;
    this.#own = own;
    this.#run = run;
    this.watch = createWatch(max_iterations, this.#run.totals, setup.onEvent);
    this.#stopping = createStopping({
      signal,
      stop,
      leftMs: max_minutes > 0 ? max_minutes * 60_000 - this.#run.totals.elapsedMs : Number.POSITIVE_INFINITY,
      isInStep: () => this.watch.state().phase === 'tool',
    });
  }

  async toEnd(warnings: readonly string[]): Promise<ExecutorResult> {
    try {
      return await this.#steps(warnings);
    } catch (error) {
      if (this.#unsaved === undefined) throw error;
      return await this.#stopped({});
    }
  }

  async #steps(warnings: readonly string[]): Promise<ExecutorResult> {
    const { config } = this.#setup;
    if (this.#run.status === 'completed') return this.#ended('completed', { summary: this.#run.outcome?.text ?? '' });
    // First of all, so that the run can be resumed whatever happens.
    await this.#save({ status: 'running', holder: thisProcess() });
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
    const { holder: _, ...run } = this.#run;
    this.#run = run;
    if (this.#saved.holder && this.#unsaved === undefined) await this.#save({}).catch(() => undefined);
  }

  /** Files that the next run would obey. */
  #obeyed(): string[] {
    const { workspace, path, configFile } = this.#setup;
    return [path, ...(configFile === undefined ? [] : [configFile])].map((one) => resolve(workspace, one));
  }

  #startTools(): Promise<Tools> {
    const { workspace, task, config, outputs } = this.#setup;
    const { timeout, ...wanted } = config.tools;
    return createTools({
      ...wanted,
      workspace,
      scope: withoutInstructions(task.scope, config),
      outputs,
      time_limit_ms: timeout * 1_000,
      mcp_servers: config.mcp_servers,
      protected: this.#obeyed(),
      unreachable: storeFiles(config.sessions.store),
      signal: this.#stopping.signal,
      logger: this.watch.logger,
      // The call's result is appended after it, and waits for it.
      onOutcome: (outcome) => void this.#save({ outcome }).catch(() => undefined),
    });
  }

  /** Runs an execution, from its prompt or from where it was cut off. Returns a result if the run is over. */
  async #execute(): Promise<ExecutorResult | undefined> {
    const { provider, workspace, config } = this.#setup;
    const { iteration, totals: base, stage, prompt } = this.#run;
    this.watch.show({ iteration, phase: 'model' });
    this.watch.emit({ type: 'iteration-start', iteration });
    if (!provider.hold) await this.#append(promptEntries(prompt, this.#answerer(), await this.#conversation.info()));
    const conversation = this.#conversation;
    const log = createExecutionLog((entries) => this.#append(entries), this.#stopping.signal);
    const before = this.#run.calls;
    const isOpen = stage === 'open' && provider.hold !== undefined;
    const session = { conversation, provider: config.provider.type, through: log.record };
    const result = await provider.execute(isOpen ? '' : prompt, {
      ...optionsOf(config, this.#tools),
      ...(provider.hold ? { session: isOpen ? { ...session, open: this.#open() } : session } : {}),
      ...(this.#own === undefined ? {} : { conversationState: this.#own }),
      ...(conversation.messages === 0 ? { pin_prompt: true } : {}),
      cwd: workspace,
      signal: this.#stopping.signal,
      logger: this.watch.logger,
      onEvent: this.watch.provider,
      onRequest: requestsOf(conversation),
      onCheckpoint: (checkpoint) => this.#reached(checkpoint, base, log),
    });
    if (result.conversationMetrics) this.watch.conversation(result.conversationMetrics);
    // Providers without checkpoints report their calls only as they happen.
    const calls = provider.hold ? this.#run.totals.calls : this.watch.state().calls;
    const totals = { ...addProgress(base, result), calls };
    this.watch.used(totals);
    if (!provider.hold) await this.#append(answerEntries(result, this.#answerer().model));
    if (!provider.hold && result.success) this.#own = result.conversationState;
    // The log may lack what a failed execution said last.
    else if (!(result.success && !log.isCut)) await this.#load();
    if (result.success) {
      const outcome = this.#run.outcome ?? spokenOutcome(result.output);
      const done = provider.hold ? this.#run.calls : before + calls - base.calls;
      await this.#save({ stage: 'ended', calls: done, totals, ...(outcome && { outcome }) });
    }
    if (this.#stopping.wish) return this.#stopped(result.success ? {} : { totals });
    return result.success ? undefined : this.#failed(result, { ...this.#run, totals });
  }

  #answerer() {
    const { provider } = this.#setup.config;
    return { name: provider.type, model: provider.model ?? 'default' };
  }

  /** The state to resume an interrupted execution from. */
  #open(): OpenCalls {
    return openOf(this.#conversation.state(), this.#run);
  }

  async #load(): Promise<void> {
    if (this.#unsaved === undefined) await this.#conversation.refresh();
  }

  async #reached(checkpoint: Checkpoint, base: SavedRun['totals'], log: ExecutionLog): Promise<void> {
    if (checkpoint.type === 'call') {
      await this.#append([checkpoint]);
      return;
    }
    if (checkpoint.type === 'result') {
      const { totals, openResults, outcome } = this.#run;
      const work = workOf(openResults + 1, outcome) - workOf(openResults, outcome);
      this.#run = {
        ...this.#run,
        calls: this.#run.calls + work,
        openResults: openResults + 1,
        totals: { ...totals, calls: totals.calls + 1 },
      };
      log.ended(checkpoint.id);
    } else {
      const { open = NO_CALLS } = checkpoint.conversationState as { readonly open?: OpenCalls };
      log.opened(open);
      const totals = { ...addProgress(base, checkpoint.progress), calls: this.#run.totals.calls };
      const flawed = open.calls.filter(({ broken, mended }) => broken || mended);
      const { flawed: _, ...run } = this.#run;
      this.#run = run;
      const openResults = open.results.length;
      await this.#save({ stage: 'open', openResults, totals, ...(flawed.length > 0 ? { flawed } : {}) });
      this.watch.used(totals);
      this.#watchMoney();
    }
    this.#stopping.stepEnded();
  }

  #watchMoney(): void {
    const { execution } = this.#setup.config;
    if (isTooDear(this.#run, execution)) this.#stopping.now('cost');
    if (execution.max_cost === 0 || this.#run.totals.cost || this.#warned) return;
    this.#warned = true;
    this.watch.logger.warn(
      'the prices of this model are unknown, so execution.max_cost has no effect: add them under models',
    );
  }

  /** Ends the run at its last checkpoint, from which it can be resumed. */
  async #stopped(change: Partial<SavedRun>): Promise<ExecutorResult> {
    await this.#save(change);
    const { wish = 'cancelled' } = this.#stopping;
    if (this.#unsaved !== undefined || wish === 'disk') {
      return this.#ended('failed', { reason: unsavedReason(this.#unsaved?.error) });
    }
    if (wish === 'cancelled') return this.#ended('cancelled', { reason: 'interrupted' });
    return this.#ended('stopped', overBudget(wish, this.#run, this.#setup.config.execution));
  }

  async #failed(result: ExecutionResult, merged: SavedRun): Promise<ExecutorResult | undefined> {
    const { error = 'unknown', errorCategory = 'unknown' } = result;
    const { max_consecutive_failures: most } = this.#setup.config.execution;
    const { iteration } = merged;
    const isForGood = FOR_GOOD.includes(errorCategory);
    // An iteration that timed out while working has not failed: the next one continues it.
    const hasWorked = merged.calls > 0;
    const failures = hasWorked && errorCategory === 'timeout' ? 0 : hasWorked ? 1 : merged.failures + 1;
    const isOver = isForGood || failures >= most;
    const next = isOver ? iteration : iteration + 1;
    this.watch.show({ lastError: error });
    await this.#save({ ...merged, failures, calls: 0, iteration: next });
    if (isForGood) return this.#ended('failed', { reason: error, errorCategory });
    this.watch.logger.warn(`Iteration ${iteration} ended early (${errorCategory}): ${error}`);
    if (!isOver) return undefined;
    const reason = `${failures} iterations in a row failed (execution.max_consecutive_failures: ${most}); the last: ${error}`;
    return this.#ended('stopped', { budget: 'failures', errorCategory, reason });
  }

  /** Runs the project's checks after an execution. Returns a result if the run is over. */
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
      onStart: (command) => this.watch.emit({ type: 'validation-start', command }),
      onOutput: (line) => this.watch.emit({ type: 'validation-output', line }),
      onResult: (result) => this.watch.emit({ type: 'validation-end', result }),
    });
    if (this.#stopping.wish) return this.#stopped({});
    await this.#save({ validation });
    const { outcome } = this.#run;
    if (outcome?.type === 'blocked') return this.#ended('blocked', { summary: outcome.text, reason: outcome.text });
    if (outcome && validation.every(({ passed }) => passed)) return this.#ended('completed', { summary: outcome.text });
    return this.#nextIteration();
  }

  async #nextIteration(): Promise<ExecutorResult | undefined> {
    const { outcome, ...run } = this.#run;
    const { max_consecutive_failures: most } = this.#setup.config.execution;
    const isIdle = run.calls === 0;
    const why = outcome ? 'claimed' : isIdle ? 'idle' : 'unfinished';
    const failures = isIdle ? run.failures + 1 : 0;
    const iteration = run.iteration + 1;
    const prompt = nextPrompt(iteration, run.validation, why);
    this.#run = run;
    await this.#save({ stage: 'prompt', iteration, calls: 0, failures, prompt });
    if (failures < most) return undefined;
    const limit = `execution.max_consecutive_failures: ${most}`;
    const failed = run.validation.filter(({ passed }) => !passed).map(({ command }) => command);
    const reason = outcome
      ? `the model says that the task is complete, but does nothing about a failing check (${limit}): ${failed.join('; ')}. See whether the check itself is right, make the task clearer, or try another model`
      : `${failures} iterations in a row did nothing (${limit}): make the task clearer, or try another model`;
    return this.#ended('stopped', { budget: 'failures', reason });
  }

  async #ended(
    status: ExecutorResult['status'],
    more: Partial<Pick<ExecutorResult, 'summary' | 'reason' | 'budget' | 'errorCategory'>>,
  ): Promise<ExecutorResult> {
    const { reason } = more;
    if (this.#run.status !== 'completed')
      await this.#save({ status, ...(reason === undefined ? {} : { reason: maskSecrets(reason) }) });
    const { max_iterations } = this.#setup.config.execution;
    this.watch.show({ status, phase: 'ended', iteration: Math.min(iterationsOf(this.#run), max_iterations) });
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
      session: this.#setup.session,
    };
  }

  async #save(change: Partial<SavedRun>): Promise<void> {
    const totals = { ...(change.totals ?? this.#run.totals), elapsedMs: this.watch.state().elapsedMs };
    this.#run = { ...this.#run, ...change, totals };
    const entry = { type: 'run', change: changeOf(this.#saved, this.#run) } as const;
    this.#saved = this.#run;
    await this.#append([entry]);
  }

  /** If writing fails, the run ends there: nothing after it could be resumed. */
  async #append(entries: readonly SessionEntry[]): Promise<readonly SessionEntry[]> {
    if (this.#unsaved !== undefined) return entries;
    try {
      const written = await this.#conversation.record(entries);
      if (entries.some(({ type }) => type === 'message')) this.#run = { ...this.#run, openResults: 0 };
      return written;
    } catch (error) {
      this.#unsaved = { error };
      this.#stopping.now('disk');
      throw error;
    }
  }
}

function unsavedReason(error: unknown): string {
  if (isHoldfastError(error) && error.code === 'STORE_CONFLICT' && error.details.last !== undefined)
    return 'another process has continued this run: wait for it or end it, then resume';
  return `the state of the run could not be written (${messageOf(error)}): make room on the disk, and resume`;
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
