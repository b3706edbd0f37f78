import type { ConversationHistoryConfig } from 'holdfast';
import type { FoundModel } from './model.ts';
import { cachePrices } from './money.ts';

/**
 * Tokens of a prompt, by what a cached token costs as a share of writing it: the first row whose `read` is at least that. The
 * last row is also for unknown prices. No measurement supports more than one row yet.
 */
const BUDGETS = [{ read: Number.POSITIVE_INFINITY, tokens: 50_000 }] as const;

/** With less than this many times the system prompt and tools, almost every request would fold. */
const ROOM = 2.5;

/** The smallest budget that is accepted. Less has no room for the newest turn and a note. Not measured. */
const LEAST = 2_000;

/** What is expected of a budget that somebody sets, and why. */
export const USEFUL_BUDGET = `at least ${LEAST} tokens, because fewer have no room for the newest turn and a note`;

/** Answers are seldom longer, and room for them is lost to the conversation. Not measured. */
const USUAL_OUTPUT = 32_000;

/** A budget in tokens, and why it is this one, for people. */
export interface DefaultBudget {
  readonly tokens: number;
  readonly why: string;
}

/** What a prompt and its answer need besides the messages. */
export interface BesideMessages {
  /** Tokens kept free for the answer. Default: those of a usual one. */
  readonly answer?: number;
  /** Tokens of system prompt and tools. */
  readonly reserve?: number;
}

/** Maximum tokens of one answer of this model; `wanted` within what it can. Pure. */
export function answerRoom({ window, max_output }: FoundModel, wanted?: number): number {
  return Math.min(wanted ?? Math.min(USUAL_OUTPUT, Math.floor(window / 4)), max_output);
}

/** The smallest budget in which a conversation with this much system prompt and tools does not fold all the time. Pure. */
export function leastBudget(reserve: number): number {
  return Math.max(LEAST, Math.ceil(ROOM * reserve));
}

/** What is wrong with a budget that somebody set, and which is the smallest useful one; undefined if it may be used. Pure. */
export function budgetProblem(tokens: number): string | undefined {
  if (Number.isSafeInteger(tokens) && tokens >= LEAST) return undefined;
  return `expected ${USEFUL_BUDGET}`;
}

/** The default budget of every conversation with this model: from its prices, within its window. Pure. */
export function defaultBudget(
  model: FoundModel,
  { answer = answerRoom(model), reserve = 0 }: BesideMessages = {},
): DefaultBudget {
  const room = Math.max(1, model.window - answer);
  const { read, write } = cachePrices(model) ?? { read: Number.POSITIVE_INFINITY, write: 1 };
  const { tokens } = BUDGETS.find((row) => read / write <= row.read) ?? BUDGETS[0];
  const least = leastBudget(reserve);
  if (room < Math.max(tokens, least))
    return { tokens: room, why: `the window of ${model.id}, ${model.window} tokens, minus ${answer} for the answer` };
  if (tokens < least) return { tokens: least, why: `${ROOM} times the ${reserve} tokens of system prompt and tools` };
  const why = model.known
    ? `the default at the prices of ${model.id}`
    : `the default: ${model.id} is not in the model table`;
  return { tokens, why };
}

/**
 * The bounds of a conversation with this model: as configured, within its window. Without a `max_tokens`, `fold` gets the default
 * budget. Other named strategies keep their own bounds, in messages or tokens. Pure.
 */
export function boundedConfig(
  config: ConversationHistoryConfig,
  model: FoundModel,
  { answer = answerRoom(model), reserve }: BesideMessages = {},
): ConversationHistoryConfig & { readonly limit: number } {
  const room = Math.max(1, model.window - answer);
  const limit = Math.min(config.limit || room, room);
  const { strategy = 'fold' } = config;
  if ([strategy].flat().some((one) => typeof one === 'string' && one !== 'fold')) return { ...config, limit };
  const beside = reserve === undefined ? { answer } : { answer, reserve };
  const { max_tokens = defaultBudget(model, beside).tokens } = config;
  return max_tokens === 0 ? { ...config, limit } : { ...config, max_tokens, limit };
}
