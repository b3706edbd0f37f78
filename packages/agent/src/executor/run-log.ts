import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { TokenUsage } from '@holdfast/models';
import {
  type ConversationState,
  dialectFor,
  eachEntry,
  type NewSession,
  readUsage,
  type SessionEntry,
  type SessionInfo,
  type SessionStore,
  type StoredEntry,
  type WireMessage,
} from '@holdfast/sessions';
import { isHoldfastError } from 'holdfast';
import type { ApiCall } from '../loop/api.ts';
import { NO_CALLS, type OpenCalls } from '../loop/open-calls.ts';
import type { Outcome } from '../tools/options.ts';
import type { Context } from './context.ts';
import { checkFree, type Holder, thisProcess } from './holder.ts';
import { firstPrompt, nextPrompt, spokenOutcome } from './prompts.ts';
import type { ExecutorResult, RunStatus, ValidationResult } from './state.ts';
import { addProgress, cacheShareOf, NOTHING, type Totals } from './totals.ts';

/** The state of a run besides its conversation. Plain JSON. */
export interface SavedRun {
  /** Hash of what the model was given first: rules, role, skills and task. */
  readonly given: string;
  readonly provider: string;
  readonly speaker?: RunSpeaker;
  readonly workspace: string;
  /** The task's file, if it was started from one. */
  readonly task?: string;
  readonly status: RunStatus;
  /** Why it ended, unless it is complete. */
  readonly reason?: string;
  readonly iteration: number;
  /** `prompt`: to be sent next; `open`: an execution is under way; `ended`: one ended, its checks come next. */
  readonly stage: 'prompt' | 'open' | 'ended';
  readonly prompt: string;
  /** How the model says that the task ended. */
  readonly outcome?: Outcome;
  /** Tool calls of this iteration. */
  readonly calls: number;
  /** How many of the calls counted have a result that no message holds yet. */
  readonly openResults: number;
  /** Calls of the last answer whose arguments were broken or repaired, which its message does not show. */
  readonly flawed?: readonly ApiCall[];
  /** Iterations in a row that failed or did nothing. */
  readonly failures: number;
  readonly totals: Totals;
  readonly validation: readonly ValidationResult[];
  /** The process at work; undefined if none is. */
  readonly holder?: Holder;
}

/** What answers in a run, besides its provider. A resumed run keeps it. */
export interface RunSpeaker {
  readonly model?: string;
  /** Only if the user named it: what a folder's configuration says is read, and trusted, again. */
  readonly base_url?: string;
  /** The key of the provider's own that decides the format of its messages. */
  readonly [key: string]: string | undefined;
}

/** The start of the ids of all runs of a task, wherever they are started. */
export function runPrefix(task: string): string {
  const full = resolve(task);
  const name = basename(full)
    .replace(/\.[^.]*$/, '')
    .replace(/[^\w.-]+/g, '-')
    .slice(0, 40);
  return `${name}-${hashOf(full).slice(0, 8)}-`;
}

/** The newest run of a task that began; undefined if there is none. */
export async function newestRun(
  store: SessionStore,
  task: string,
): Promise<{ readonly session: string; readonly saved: SavedRun } | undefined> {
  for (const { id: session, kind } of await sessionsOf(store, task)) {
    const saved = kind === 'run' ? await readRun(store, session) : undefined;
    if (saved) return { session, saved };
  }
  return undefined;
}

/** The sessions whose ids are those of a task's runs, the newest first. */
async function sessionsOf(store: SessionStore, task: string): Promise<SessionInfo[]> {
  const prefix = runPrefix(task);
  const found = (await store.list({ prefix })).filter(({ id }) => id.startsWith(prefix));
  return found.sort((a, b) => numberOf(b.id) - numberOf(a.id));
}

function numberOf(id: string): number {
  return Number(/\d+$/.exec(id)?.[0] ?? 0);
}

/**
 * Creates the session of a new run for this process. Throws STORE_CONFLICT if another works on the
 * task.
 */
export async function newRun(store: SessionStore, task: string, title: string): Promise<string> {
  for (;;) {
    const there = (await sessionsOf(store, task)).filter(({ last }) => last > 0);
    const newest = there.find(({ kind }) => kind === 'run');
    if (newest) checkFree((await stateIn(store, newest.id)).run.holder);
    const id = `${runPrefix(task)}${numberOf(there[0]?.id ?? '') + 1}`;
    if (await hasStarted(store, { id, title }, [{ type: 'run', change: { holder: thisProcess() } }])) return id;
  }
}

/**
 * Writes the first entries of a session; one without entries is what a killed process left. False if another process was
 * faster.
 */
async function hasStarted(
  store: SessionStore,
  session: NewSession & { readonly id: string },
  entries: readonly SessionEntry[],
): Promise<boolean> {
  try {
    if (!(await store.info(session.id))) await store.create(session);
    await store.append(session.id, entries, 0);
    return true;
  } catch (error) {
    // Errors about this session: it was created, written to or deleted in the meantime.
    if (isHoldfastError(error) && error.details.session === session.id) return false;
    throw error;
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What one save changes: null for a field that is gone. Pure. */
export function changeOf(before: Partial<SavedRun>, after: SavedRun): Record<string, unknown> {
  const { totals: old, ...rest } = before;
  const { totals, ...now } = after;
  const counts = old ? differences({ ...old }, { ...totals }) : totals;
  return { ...differences(rest, now), ...(Object.keys(counts).length > 0 ? { totals: counts } : {}) };
}

function differences(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = keys.filter((key) => !isDeepStrictEqual(before[key], after[key]));
  return Object.fromEntries(changed.map((key) => [key, after[key] ?? null]));
}

type Fields = Readonly<Record<string, unknown>>;

function merged(run: Partial<SavedRun>, stored: Fields): Partial<SavedRun> {
  const { totals, ...change } = stored;
  const all = { ...run, ...change, ...(totals ? { totals: { ...run.totals, ...totals } } : {}) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** The run that a session holds, as it was last saved; undefined for one that never began, and for any other session. */
export async function readRun(store: SessionStore, session: string): Promise<SavedRun | undefined> {
  const { run } = await stateIn(store, session);
  return isWhole(run) ? run : undefined;
}

function isWhole(run: Partial<SavedRun>): run is SavedRun {
  return run.given !== undefined;
}

/** The state of a session's run, and the last entry with totals. */
async function stateIn(
  store: SessionStore,
  session: string,
): Promise<{ readonly run: Partial<SavedRun>; readonly counted: number }> {
  let run: Partial<SavedRun> = {};
  let counted = 0;
  for await (const { seq, entry } of eachEntry(store, session, { types: ['run'] })) {
    if (entry.type !== 'run') continue;
    run = merged(run, entry.change);
    if ('totals' in entry.change) counted = seq;
  }
  return { run, counted };
}

/**
 * The run as a new process finds it: as saved, plus what happened until the last process ended. `saved`: the conversation of the
 * same session; undefined if the provider keeps its own. Undefined if the session holds no run.
 */
export async function restoredRun(
  store: SessionStore,
  session: string,
  saved: ConversationState<WireMessage> | undefined,
): Promise<SavedRun | undefined> {
  const { run, counted: seq } = await stateIn(store, session);
  if (!isWhole(run)) return undefined;
  const since: StoredEntry[] = [];
  for await (const stored of eachEntry(store, session, { from: seq + 1 })) since.push(stored);
  const read = (message: WireMessage) => dialectFor(saved?.window.dialect, message).read(message);
  const messages = since.flatMap(({ entry }) => (entry.type === 'message' ? [read(entry.message)] : []));
  const kept = saved?.results?.length ?? 0;
  const results = messages.reduce((sum, message) => sum + message.results.length, kept) - run.openResults;
  const totals = usedSince(run.totals, since);
  const counted = {
    ...run,
    calls: run.calls + workOf(results, run.outcome),
    openResults: kept,
    totals: { ...totals, calls: totals.calls + results },
  };
  if (!saved || messages.length === 0) return counted;
  if (run.stage === 'prompt') return { ...counted, stage: 'open' };
  if (run.stage === 'ended' || openOf(saved, run).calls.length > 0) return counted;
  const last = saved.pending.at(-1);
  const isPaused = since.some(({ entry }) => entry.type === 'usage' && entry.paused);
  const isAnswer = last !== undefined && !isPaused && read(last).role === 'assistant';
  const outcome =
    run.outcome ?? (isAnswer ? spokenOutcome(dialectFor(saved.window.dialect, last).text(last)) : undefined);
  return { ...counted, ...(outcome ? { outcome } : {}), ...(outcome || isAnswer ? { stage: 'ended' } : {}) };
}

/** The calls that did work; declaring the task over is not work. Pure. */
export function workOf(results: number, outcome: Outcome | undefined): number {
  return Math.max(0, results - (outcome ? 1 : 0));
}

function usedSince(totals: Totals, since: readonly StoredEntry[]): Totals {
  const folds = since.filter(({ entry }) => entry.type === 'fold').length;
  let sum: Totals = { ...totals, folds: totals.folds + folds };
  for (const { entry } of since) {
    if (entry.type !== 'usage') continue;
    const { cost, window } = entry;
    const { input, output, cacheRead, cacheWrite } = readUsage(entry).tokens;
    const tokenUsage: TokenUsage = {
      inputTokens: input,
      outputTokens: output,
      cacheReadTokens: cacheRead,
      cacheWriteTokens: cacheWrite,
    };
    const spent = cost === undefined ? {} : { cost: { spent: cost, everything: cost } };
    sum = addProgress(sum, { filesChanged: [], tokenUsage, ...spent, requests: window ? 1 : 0 });
  }
  return sum;
}

/** The calls that an interrupted execution left without a result. Pure. */
export function openOf(saved: ConversationState<WireMessage>, { flawed = [] }: SavedRun): OpenCalls {
  const readings = saved.pending.map((message) => dialectFor(saved.window.dialect, message).read(message));
  const answered = new Set(readings.flatMap(({ results }) => results.map(({ id }) => id)));
  const calls = readings.flatMap((reading) => reading.calls).filter(({ id }) => !answered.has(id));
  if (calls.length === 0) return NO_CALLS;
  return {
    calls: calls.map(({ id, name, input }) => flawed.find((call) => call.id === id) ?? { id, name, input }),
    begun: saved.begun ?? [],
    results: saved.results ?? [],
  };
}

/** A run before anything was said. Pure. */
export function firstRun(
  provider: string,
  workspace: string,
  context: Context,
  speaker: RunSpeaker = {},
  task?: string,
): SavedRun {
  const prompt = firstPrompt(context);
  return {
    given: hashOf(prompt),
    provider,
    speaker,
    workspace,
    ...(task === undefined ? {} : { task }),
    status: 'running',
    iteration: 1,
    stage: 'prompt',
    prompt,
    calls: 0,
    openResults: 0,
    failures: 0,
    totals: NOTHING,
    validation: [],
  };
}

/**
 * The state that a run resumes with: no failures, a blocked task to be tried again, and for a run that was never answered,
 * today's prompt. Pure.
 */
export function resumedRun(saved: SavedRun, first: SavedRun): SavedRun {
  const { requests, elapsedMs } = saved.totals;
  if (requests === 0) return { ...first, totals: { ...first.totals, elapsedMs } };
  const { speaker = {}, task } = first;
  const { reason: _why, ...before } = saved;
  const kept = { ...before, speaker, ...(task === undefined ? {} : { task }) };
  if (saved.status !== 'blocked') return { ...kept, failures: 0 };
  const { outcome: _, ...rest } = kept;
  const iteration = saved.iteration + 1;
  const prompt = nextPrompt(iteration, [], 'blocked');
  return { ...rest, stage: 'prompt', iteration, prompt, calls: 0, failures: 0 };
}

/** How many iterations began: a run that stopped before sending its next prompt did not begin that one. Pure. */
export function iterationsOf({ status, stage, iteration }: SavedRun): number {
  return status === 'stopped' && stage === 'prompt' ? Math.max(1, iteration - 1) : iteration;
}

/** A saved run as a result to show; a running one says so. Pure. */
export function resultOf(
  session: string,
  run: SavedRun,
): Omit<ExecutorResult, 'status'> & { readonly status: RunStatus } {
  const { filesChanged, ...totals } = run.totals;
  return {
    ...totals,
    status: run.status,
    ...(run.reason === undefined ? {} : { reason: run.reason }),
    iteration: iterationsOf(run),
    maxIterations: 0,
    phase: 'ended',
    cacheShare: cacheShareOf(totals.tokenUsage),
    summary: run.outcome?.text ?? '',
    filesChanged,
    validation: run.validation,
    unchecked: [],
    session,
  };
}
