import type { ConversationHistoryConfig, Size, StrategyName } from 'holdfast';
import type { FoundModel } from '../models/model.ts';
import type { ResolvedOptions } from './api-options.ts';

/** Characters that make a token, as the engine assumes until it is told. */
const CHARACTERS = 3;
/** What APIs add of their own once a request has tools. */
const TOOL_PROMPT = 300;

/**
 * The window's configuration for this model: `limit` is what its window leaves when the answer has its room, `reserve` what
 * system prompt and tools take. What the user says stands, within the model's limit. Pure.
 */
export function windowConfig(
  options: ResolvedOptions,
  info: FoundModel,
  max_output: number,
): ConversationHistoryConfig & { readonly limit: number } {
  const { system = '', tools = [] } = options;
  const conversation = fullConversation(options);
  const schemas = tools.map(({ name, description, input_schema }) => [name, description, input_schema]);
  const fixed = tools.length === 0 ? 0 : TOOL_PROMPT + JSON.stringify(schemas).length / CHARACTERS;
  const { summarization_model } = options;
  return {
    ...(summarization_model === undefined ? {} : { summarization_model }),
    ...withinModel(conversation, info, max_output),
    reserve: conversation.reserve ?? Math.ceil(system.length / CHARACTERS + fixed),
  };
}

/** A conversation's configuration with the short key, inside or beside it, written out. Pure. */
export function fullConversation({
  conversation = {},
  max_conversation_messages: beside,
}: Pick<ResolvedOptions, 'conversation' | 'max_conversation_messages'>): ConversationHistoryConfig {
  const { max_conversation_messages: inside, ...full } = conversation;
  const max_messages = full.max_messages ?? inside ?? beside;
  return max_messages === undefined ? full : { ...full, max_messages };
}

/** Answers are seldom longer, and what is set aside for them is lost to the conversation. Supported by no measurement. */
const USUAL_OUTPUT = 32_000;

/** Most tokens of one answer of this model. Pure. */
export function outputOf(max_output: number | undefined, info: FoundModel): number {
  const usual = Math.min(USUAL_OUTPUT, Math.floor(info.window / 4));
  return Math.min(max_output ?? usual, info.max_output);
}

/** The engine's own `max_messages`, and that of strategies which have another. */
const MESSAGES = 100;
const OWN_MESSAGES: Partial<Record<StrategyName, (config: ConversationHistoryConfig) => number>> = {
  governed: ({ max_history_messages = 40 }) => max_history_messages,
  'two-tier': () => 0,
  rolling: () => 50,
};

/** What a fold is due above at the latest, with the strategies' own defaults; Infinity where there is no limit. Pure. */
export function foldsAbove(config: ConversationHistoryConfig & { readonly limit: number }): Size {
  const { max_messages, max_tokens, limit, strategy = 'fold' } = config;
  const own = [strategy].flat().map((one) => (typeof one === 'string' ? OWN_MESSAGES[one]?.(config) : undefined));
  return {
    messages: (max_messages ?? own.find((one) => one !== undefined) ?? MESSAGES) || Number.POSITIVE_INFINITY,
    tokens: Math.min(max_tokens || limit, limit),
  };
}

/** What a conversation with this model is held to, before anything is known of its server. Pure. */
export function plannedBudget(
  conversation: ConversationHistoryConfig,
  info: FoundModel,
  max_output: number | undefined,
): Size {
  return foldsAbove(withinModel(fullConversation({ conversation }), info, outputOf(max_output, info)));
}

function withinModel(conversation: ConversationHistoryConfig, { window }: FoundModel, max_output: number) {
  const limit = Math.max(1, window - max_output);
  return { ...conversation, limit: Math.min(conversation.limit || limit, limit) };
}
