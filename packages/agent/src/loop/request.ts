import { setTimeout } from 'node:timers/promises';
import { type HoldfastError, isHoldfastError } from 'holdfast';
import { refusesThinking } from 'holdfast/rules';
import type { ErrorCategory, RetryEvent } from '../providers/provider.ts';
import type { Api, ApiAnswer } from './api.ts';
import { untilAborted } from './deadline.ts';
import { begin, type Execution, type View, viewOf } from './execution.ts';
import { type Failure, failureOf } from './failure.ts';
import { withoutThinking } from './saved.ts';
import { shrink } from './shrink.ts';
import { CutOff } from './stream.ts';

/** A request that failed after all retries. */
export class RequestFailed extends Error {
  readonly failure: Failure;

  constructor(failure: Failure, cause: unknown) {
    super(failure.message, { cause });
    this.name = 'RequestFailed';
    this.failure = failure;
  }
}

/** The next attempt, of at most so many. */
type Attempt = Pick<RetryEvent, 'attempt' | 'attempts'>;

export interface RequestSetup<M> extends Execution<M> {
  /** Called before each retry. */
  readonly onRetry: (failure: Failure, waitMs: number, attempt?: Attempt) => void;
  /** Called for each answer that was billed and lost. */
  readonly onLoss: (report: CutOff['report'], fitted: View<M>) => void;
  /** Called before each request. */
  readonly onSend: () => void;
}

/** How often to fold further if a request is still too long. */
const FOLDS_AGAIN = 2;
/** Above this share of the limit, the estimate is not trusted. */
const NEAR = 0.9;

/**
 * Requests one answer of the model. Folds a prompt that is too long, at most twice; drops thinking that the API rejects;
 * retries what may pass, within the time limit. Throws RequestFailed, a HoldfastError of the engine, or the signal's reason.
 */
export async function request<M>(setup: RequestSetup<M>): Promise<{ answer: ApiAnswer<M>; fitted: View<M> }> {
  const { api, conversation, options, signal, emit } = setup;
  let overflows = 0;
  let retries = 0;
  let overflowed: Failure | undefined;
  for (;;) {
    const fitted = await countedFit(setup).catch((error: unknown) => {
      throw overflowed && isHoldfastError(error) && error.code === 'OVER_BUDGET'
        ? unfoldable(overflowed, error)
        : error;
    });
    try {
      const { estimatedTokens: tokens, estimated, max } = fitted.metrics;
      emit({ type: 'view-ready', messages: fitted.messages.length, tokens, estimated, max });
      setup.onSend();
      const answer = await api.send(fitted, (text) => emit({ type: 'text-delta', text }), signal);
      conversation.observe(fitted, answer.report);
      return { answer, fitted };
    } catch (error) {
      if (error instanceof CutOff) setup.onLoss(error.report, fitted);
      signal.throwIfAborted();
      const failure = doubted(failureOf(error), setup);
      if (failure.overflow && overflows++ < FOLDS_AGAIN) {
        overflowed = failure;
        shrink(conversation, setup.config, failure.overflow);
        setup.onRetry(failure, 0);
        continue;
      }
      if (isAboutThinking(error, failure, api) && (await dropThinking(setup))) {
        const message = `${failure.message} (retrying without the thinking so far)`;
        setup.onRetry({ ...failure, message }, 0);
        continue;
      }
      const wait = waitFor(failure, retries, options.max_wait_ms);
      if (!failure.again || retries++ >= options.max_retries || Date.now() + wait > setup.deadline)
        throw new RequestFailed(lastTry(failure, retries, options.max_retries), error);
      setup.onRetry(failure, wait, { attempt: retries + 1, attempts: options.max_retries + 1 });
      await setTimeout(wait, undefined, { signal });
    }
  }
}

/** Says which attempt failed, if there was more than one. */
function lastTry(failure: Failure, attempt: number, most: number): Failure {
  const isOnly = !failure.again || attempt < 2;
  return isOnly ? failure : { ...failure, message: `${failure.message} (attempt ${attempt} of ${most + 1})` };
}

/** Failures that depend on the server, so that its address helps. */
const OF_SERVER: readonly ErrorCategory[] = ['network', 'timeout', 'overloaded', 'rate_limit', 'auth'];

/** Adds to a 404 what may be wrong with the address, and the address itself to failures of a server. */
function doubted<M>(failure: Failure, { addressDoubt: doubt, address }: RequestSetup<M>): Failure {
  const { status, category, message } = failure;
  if (doubt !== undefined && (status === 404 || status === 405))
    return { ...failure, message: `${message} (${doubt})` };
  // Another server may know the model.
  const isOfServer = status === 404 || OF_SERVER.includes(category);
  if (address === undefined || !isOfServer || message.includes(address)) return failure;
  return { ...failure, message: `${message.replace(/\.(?= \()|\.$/, '')} at ${address}` };
}

/** True if the API rejects thinking in the conversation, such as another account's: without it the request may be accepted. */
function isAboutThinking<M>(
  error: unknown,
  { status = 400, message }: Failure,
  { dialect }: Pick<Api<M>, 'dialect'>,
): boolean {
  return (status === 400 || status === 404) && refusesThinking(`${codeOf(error)} ${message}`, dialect.name);
}

function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return '';
  return 'code' in error ? error.code : 'error' in error ? codeOf(error.error) : '';
}

/** If folding does not help, the API's own words are the error: they may be about something else. */
function unfoldable(overflowed: Failure, error: HoldfastError): RequestFailed {
  const { message: ours, overBudget } = failureOf(error);
  const isStated = overflowed.overflow?.limit !== undefined;
  // A limit that the API did not state is our own guess: do not mention it.
  const why = isStated ? ours : `~${overBudget?.floor.tokens ?? 0} tokens must stay`;
  const message = `${overflowed.message} (nothing more can be folded: ${why})`;
  return new RequestFailed({ ...overflowed, message, ...(isStated && overBudget ? { overBudget } : {}) }, error);
}

/** Drops all thinking that only its maker can read, from now on and in the state; false if there is none. */
async function dropThinking<M>(setup: RequestSetup<M>): Promise<boolean> {
  if (!setup.conversation.dropThinking((message) => withoutThinking(message, setup.api))) return false;
  await begin(setup, true);
  return true;
}

/**
 * The view, counted by the API itself if the estimate is close to the limit. If it is too large, it is folded again, with
 * what the window learned from the count.
 */
async function countedFit<M>(setup: RequestSetup<M>): Promise<View<M>> {
  const { api, conversation, options, signal } = setup;
  const { limit } = conversation.budget;
  for (let folds = 0; ; folds++) {
    const fitted = await viewOf(setup);
    const isNear = fitted.metrics.estimatedTokens >= NEAR * limit;
    if (!isNear || !api.count || options.count_before_request === false || folds === FOLDS_AGAIN) return fitted;
    // A server without this endpoint, or one that is busy, must not hold up the request.
    const tokens = await countWithin(api, fitted, signal);
    signal.throwIfAborted();
    if (tokens === undefined) return fitted;
    conversation.counted(tokens);
    if (tokens <= limit) return fitted;
  }
}

/** How long to wait for a count before the estimate is used. */
const COUNT_MS = 5_000;
/** APIs whose count was late: not asked again. */
const silent = new WeakSet<object>();

async function countWithin<M>(api: Api<M>, fitted: View<M>, signal: AbortSignal): Promise<number | undefined> {
  if (!api.count || silent.has(api)) return undefined;
  const late = AbortSignal.timeout(COUNT_MS);
  const until = AbortSignal.any([signal, late]);
  const tokens = await untilAborted(
    api.count(fitted, until).catch(() => undefined),
    until,
    undefined,
  );
  if (late.aborted) silent.add(api);
  return tokens;
}

const FIRST_WAIT_MS = 500;
const LONGEST_STEP_MS = 8_000;

/** Exponential backoff with jitter, or the wait that the server asks for, if that is longer; at most `most`. */
function waitFor({ waitMs = 0 }: Failure, retries: number, most: number): number {
  const step = Math.min(LONGEST_STEP_MS, FIRST_WAIT_MS * 2 ** retries) * (0.75 + Math.random() / 4);
  return Math.min(most, Math.max(waitMs, step));
}
