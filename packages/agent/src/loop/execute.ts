import type { CallResult, Conversation } from '@holdfast/sessions';
import { type HoldfastError, isHoldfastError } from 'holdfast';
import { defined } from '../defined.ts';
import type { Checkpoint, ErrorCategory, ExecutionResult, OverBudget, Progress, Tool } from '../providers/provider.ts';
import type { ApiAnswer, NamedResult } from './api.ts';
import { begin, type Execution, type ExecutionSetup, recordSpent, startExecution, type View } from './execution.ts';
import { type Failure, failureOf, shortened } from './failure.ts';
import { NO_CALLS, type OpenCalls } from './open-calls.ts';
import { RequestFailed, request } from './request.ts';
import type { SavedConversation } from './saved.ts';
import { settle } from './settle.ts';
import { runCalls } from './tool-calls.ts';

/** How an execution ended: with the model's last answer, or with an error. */
interface Ending {
  readonly text: string;
  readonly complete: boolean;
  readonly error?: Pick<Failure, 'category' | 'message' | 'overBudget'>;
  readonly budget?: NonNullable<ExecutionResult['budget']>;
}

/**
 * Runs a prompt: requests and tool calls until an answer has no calls; or resumes an interrupted execution. Throws BAD_CONFIG
 * or BAD_STATE before anything is sent; later failures are in the result.
 */
export async function execute<M>(prompt: string, setup: ExecutionSetup<M>): Promise<ExecutionResult> {
  const run = startExecution(setup);
  const { conversation, options } = run;
  for (const doubt of setup.api.doubts ?? []) run.log.warn(doubt);
  const before = conversation.folds;
  const counts: Counts<M> = { requests: 0, text: '', history: run.history, before, paused: [] };
  const ending = await begun(prompt, run)
    .then(() => loop(run, counts))
    .catch((error: unknown) => endedBy(error, run, counts.text));
  if (ending.error) await interrupted(run, ending, counts.paused).catch(() => undefined);
  if (ending.error) await settle(conversation, setup.api.dialect, options.session !== undefined);
  else await conversation.add([]).catch(() => undefined);
  const { text: output, complete: iterationComplete, budget, error: failure } = ending;
  const { message: error, category: errorCategory, overBudget } = failure ?? {};
  const completionSignal = options.completion_signals.find((word) => word !== '' && output.includes(word));
  return defined({
    success: failure === undefined,
    ...{ output, error, errorCategory, overBudget, budget, iterationComplete, completionSignal },
    conversationState: stateOf(run, counts),
    conversationMetrics: metricsOf(conversation),
    ...progressOf(run, counts),
  });
}

/** Adds the prompt, unless this resumes an execution that already did. */
async function begun<M>(prompt: string, execution: Execution<M>): Promise<void> {
  const { conversation, api, options, open } = execution;
  await begin(execution);
  if (open) return;
  if (conversation.messages === 0 && options.history)
    await conversation.add(options.history.map(({ role, text }) => api.dialect.note(role, text.toWellFormed())));
  if (options.pin_prompt) await conversation.pin();
  await conversation.add([api.prompt(prompt)]);
}

/** Keeps the part of an answer that had arrived when the execution was cancelled, marked as a part. */
async function interrupted<M>(
  { conversation, api, partial }: Execution<M>,
  { error }: Ending,
  paused: readonly M[],
): Promise<void> {
  await conversation.add(api.closed?.(paused) ?? []);
  const text = partial.text.trim();
  if (error?.category === 'cancelled' && text !== '')
    await conversation.add([api.dialect.note('assistant', `${text}\n\n[interrupted]`)]);
}

interface Counts<M> {
  requests: number;
  text: string;
  /** Tokens of the full history at the last request. */
  history: number;
  /** Folds of the conversation before this execution. */
  readonly before: number;
  /** The last answer, if it was paused. */
  paused: readonly M[];
}

function progressOf<M>({ files, spending, conversation }: Execution<M>, { requests, before }: Counts<M>): Progress {
  return { filesChanged: [...files], ...spending.totals(), folds: conversation.folds - before, requests };
}

function stateOf<M>({ conversation }: Execution<M>, { history }: Counts<M>): SavedConversation<M> {
  return { ...conversation.state(), historyTokens: history };
}

function metricsOf<M>(conversation: Conversation<M>) {
  const { pending, viewSize } = conversation;
  const { messages, tokens } = viewSize;
  return { messageCount: messages + pending.length, estimatedTokens: tokens + conversation.estimate(pending) };
}

async function loop<M>(run: Execution<M>, counts: Counts<M>): Promise<Ending> {
  const { api, conversation, options, signal, emit, redactor, files, log } = run;
  const onRetry: Parameters<typeof request<M>>[0]['onRetry'] = ({ category, message }, waitMs, attempt) => {
    // Listeners get the event instead.
    const level = options.onEvent ? 'debug' : 'warn';
    log[level](`Request failed (${category}), retrying in ${Math.round(waitMs)} ms: ${message}`);
    emit({ type: 'request-retry', category, waitMs, message: shortened(redactor.message(message)), ...attempt });
  };
  const bill = (report: ApiAnswer<M>['report'], { metrics }: View<M>, paused = false) => {
    const spent = run.spending.answer(report?.usage, metrics.historyTokens, metrics.folds === 0);
    if (!spent) return () => {};
    const { request } = report ?? {};
    recordSpent(conversation, { ...spent, model: options.model, request, paused }, metrics.historyTokens);
    const unsent = Math.max(0, metrics.historyTokens - metrics.estimatedTokens);
    return () => emit({ type: 'usage-report', ...spent, model: options.model, unsent });
  };
  const onLoss: Parameters<typeof request<M>>[0]['onLoss'] = (report, fitted) => bill(report, fitted)();
  const onSend = () => {
    counts.requests++;
  };
  const checkpoint = async (reached: Checkpoint) => options.onCheckpoint?.(reached);
  const save = (open: OpenCalls) =>
    options.onCheckpoint &&
    checkpoint({
      type: 'state',
      conversationState: options.session ? { open } : { ...stateOf(run, counts), open },
      progress: progressOf(run, counts),
    });
  const calling = {
    tools: options.tools ?? [],
    signal,
    emit,
    onResult: (result: CallResult) => {
      try {
        options.onResult?.(result);
      } catch (error) {
        log.warn(`onResult threw: ${String(error)}`);
      }
    },
    checkpoint,
    keep: (result: CallResult, all: readonly NamedResult[] | undefined) =>
      all ? conversation.add(api.results(all)) : conversation.add([], [{ type: 'result', ...result }]),
    recall: (handle: string) => recallText(conversation, handle),
    fileChanged: (path: string) => void files.add(path),
    redactor,
  };
  let open = run.open ?? NO_CALLS;
  /** Paused answers in a row. */
  let pauses = 0;
  let text = '';
  await save(open);
  for (;;) {
    if (open.calls.length > 0) {
      const results = await runCalls(open, calling);
      signal.throwIfAborted();
      if (endsWith(open, results, calling.tools)) return { text: counts.text, complete: true };
    }
    signal.throwIfAborted();
    const over = outOf(run, counts);
    if (over) return over;
    const { answer, fitted } = await request({ ...run, onRetry, onLoss, onSend });
    // Pauses split one answer.
    text = pauses > 0 ? text + answer.text : answer.text;
    counts.text = text || counts.text;
    counts.history = fitted.metrics.historyTokens;
    const tellUsage = bill(answer.report, fitted, isPaused(answer));
    run.partial.text = '';
    // A refused answer would be refused again: do not send it back, and run none of its calls.
    await conversation.add(answer.stop === 'refusal' ? [] : answer.messages);
    tellUsage();
    if (answer.stop === 'refusal') return refusedBy(answer);
    open = { ...NO_CALLS, calls: answer.calls };
    pauses = isPaused(answer) ? pauses + 1 : 0;
    if (pauses === 0 || answer.messages.length > 0) counts.paused = pauses === 0 ? [] : answer.messages;
    // After a pause that adds nothing, the next request would be the same.
    if (pauses > MOST_PAUSES || (pauses > 0 && answer.messages.length === 0))
      return pausedTooOften(counts.text, pauses);
    if (pauses === 0 && open.calls.length === 0) return { text: counts.text, complete: answer.stop === 'end' };
    await save(open);
  }
}

/** How the execution ends if a limit is reached before the next request. */
function outOf<M>({ options, spending, log }: Execution<M>, { requests, text }: Counts<M>): Ending | undefined {
  const { max_requests = Number.POSITIVE_INFINITY, max_cost } = options;
  const ended = (budget: NonNullable<Ending['budget']>, message: string): Ending => ({
    text,
    complete: false,
    error: { category: 'timeout', message },
    budget,
  });
  if (requests >= max_requests)
    return ended('requests', `max_requests (${max_requests}) was reached before the answer`);
  if (max_cost === undefined) return undefined;
  const { cost } = spending.totals();
  if (!cost && requests === 1)
    log.warn('the prices of this model are unknown, so max_cost has no effect: add them under models');
  if (!cost || cost.spent < max_cost) return undefined;
  return ended('cost', `max_cost ($${max_cost}) was reached before the answer: $${cost.spent.toFixed(4)} spent`);
}

/** The text behind a handle; undefined if there is none. */
async function recallText<M>(conversation: Conversation<M>, handle: string): Promise<string | undefined> {
  try {
    const { messages, content } = await conversation.recall(handle);
    if (content === undefined) return messages.map((message) => JSON.stringify(message)).join('\n');
    return typeof content === 'string' ? content : JSON.stringify(content, undefined, 1);
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'UNKNOWN_HANDLE') return undefined;
    throw error;
  }
}

function isPaused({ stop, calls }: ApiAnswer<unknown>): boolean {
  return stop === 'pause' && calls.length === 0;
}

/** Not measured: a server may call its tools some ten times before a pause. */
const MOST_PAUSES = 10;

function pausedTooOften(text: string, pauses: number): Ending {
  const times = pauses === 1 ? 'once without any text' : `${pauses} times in a row`;
  const message = `the answer was paused ${times} and never finished: ask for smaller steps, or execute again to continue`;
  return { text, complete: false, error: { category: 'timeout', message } };
}

function pinnedTooMuch({ details }: HoldfastError): string {
  const { tokens, quota } = details as { tokens: number; quota: { tokens: number } };
  return `the prompt stays in every request and takes ${tokens} tokens, but may take at most ${quota.tokens}, half of the budget: shorten it, or raise max_tokens`;
}

function endsWith({ calls }: OpenCalls, results: readonly CallResult[], tools: readonly Tool[]): boolean {
  const ending = new Set(tools.filter(({ ends }) => ends).map(({ name }) => name));
  return calls.some(({ id, name }) => ending.has(name) && results.some((result) => result.id === id && !result.failed));
}

function refusedBy({ text }: ApiAnswer<unknown>): Ending {
  const message = `the model refused to answer${text && `: ${text}`}`;
  return { text, complete: false, error: { category: 'invalid_request', message } };
}

function endedBy<M>(error: unknown, { options, signal, redactor }: Execution<M>, text: string): Ending {
  const failed = (category: ErrorCategory, message: string, overBudget?: OverBudget): Ending => {
    const error = { category, message: shortened(redactor.message(message)), overBudget };
    return { text, complete: false, error: defined(error) };
  };
  if (options.signal?.aborted) return failed('cancelled', 'the execution was cancelled');
  if (signal.aborted)
    return failed('timeout', `time_limit_ms (${options.time_limit_ms}) was reached before the answer`);
  if (isHoldfastError(error) && error.code === 'BAD_PIN') return failed('invalid_request', pinnedTooMuch(error));
  const { category, message, overBudget } = error instanceof RequestFailed ? error.failure : failureOf(error);
  return failed(category, message, overBudget);
}
