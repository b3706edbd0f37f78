import type { ConversationHistoryConfig } from '../config.ts';
import type { Dialect } from '../dialect.ts';
import { type HoldfastError, isHoldfastError } from '../errors.ts';
import type { Receipt } from '../fold/receipt.ts';
import { loadOf, tokensOf, UNCALIBRATED } from '../size/tokens.ts';
import { memoryArchive } from '../state/archive.ts';
import type { WindowParts } from '../window/parts.ts';
import { ConversationWindow } from '../window.ts';
import type { Conversation } from './conversations.ts';

/** One request: the view of the history up to here, or why there is none. */
export interface Request<M> {
  readonly history: readonly M[];
  readonly view?: readonly M[];
  readonly receipt?: Receipt;
  /** OVER_BUDGET. */
  readonly refusal?: HoldfastError;
}

/** A conversation with a window at one budget, as in an agent's loop. */
export interface WindowRun<M> {
  readonly place: string;
  readonly conversation: Conversation<M>;
  readonly config: ConversationHistoryConfig;
  readonly window: ConversationWindow<M>;
  readonly requests: readonly Request<M>[];
  /** The error that ended it early, unless OVER_BUDGET. */
  readonly error?: string;
}

const SHARES = [0.1, 0.2, 0.35, 0.6];
const MESSAGES = [8, 24];

/** Every conversation at every budget, with `fold` and `sliding`. */
export async function makeRuns<M>(
  dialect: Dialect<M>,
  conversations: readonly Conversation<M>[],
): Promise<WindowRun<M>[]> {
  const runs: WindowRun<M>[] = [];
  for (const conversation of conversations) {
    for (const config of configsFor(tokensIn(dialect, conversation.history)))
      runs.push(await runWindow(dialect, conversation, config));
  }
  return runs;
}

function configsFor(tokens: number): ConversationHistoryConfig[] {
  return (['fold', 'sliding'] as const).flatMap((strategy) => [
    ...SHARES.map((share) => ({ strategy, max_messages: 0, max_tokens: Math.ceil(tokens * share) })),
    ...MESSAGES.map((max_messages) => ({ strategy, max_messages, preserve_last_n: max_messages / 2 })),
  ]);
}

/** Tokens of these messages, as an uncalibrated window counts them. */
export function tokensIn<M>(dialect: Dialect<M>, messages: readonly M[]): number {
  return tokensOf(loadOf(messages.map((message) => dialect.read(message))), UNCALIBRATED);
}

/** Fits the history after every message of the user and every result, like an agent's loop. */
export async function runWindow<M>(
  dialect: Dialect<M>,
  conversation: Conversation<M>,
  config: ConversationHistoryConfig,
  between: (window: ConversationWindow<M>, request: Request<M>) => ConversationWindow<M> = (window) => window,
  archive = memoryArchive<M>(),
): Promise<WindowRun<M>> {
  const { seed, history, said } = conversation;
  const place = `conversation ${seed} with ${JSON.stringify(config)}`;
  const requests: Request<M>[] = [];
  let window = windowWith(dialect, config, { archive });
  let error: string | undefined;
  for (const [i, { kind, at, messages }] of said.entries()) {
    // A system message that follows the user's belongs to the same request.
    if (kind === 'assistant' || said[i + 1]?.kind === 'system') continue;
    try {
      const request = await ask(window, history.slice(0, at + messages.length));
      requests.push(request);
      window = between(window, request);
    } catch (thrown) {
      error = `at message ${at}: ${String(thrown)}`;
      break;
    }
  }
  return { place, conversation, config, window, requests, ...(error === undefined ? {} : { error }) };
}

/** A window without log output, with its own archive unless one is given. */
export function windowWith<M>(
  dialect: Dialect<M>,
  config: ConversationHistoryConfig,
  parts: WindowParts<M> = {},
): ConversationWindow<M> {
  return new ConversationWindow<M>(config, { dialect, archive: memoryArchive<M>(), logger: { warn() {} }, ...parts });
}

/** One request; throws any error except OVER_BUDGET. */
export async function ask<M>(window: ConversationWindow<M>, history: readonly M[]): Promise<Request<M>> {
  try {
    const { messages: view, receipt } = await window.fit(history);
    return { history, view, ...(receipt ? { receipt } : {}) };
  } catch (error) {
    if (isHoldfastError(error) && error.code === 'OVER_BUDGET') return { history, refusal: error };
    throw error;
  }
}
