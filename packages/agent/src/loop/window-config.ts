import { type ConversationHistoryConfig, ConversationWindow, type Size } from 'holdfast';
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

/** The budget of a conversation with this model, before its server is asked for anything. Pure. */
export function plannedBudget(
  conversation: ConversationHistoryConfig,
  info: FoundModel,
  max_output: number | undefined,
): Size {
  const config = withinModel(fullConversation({ conversation }), info, outputOf(max_output, info));
  return new ConversationWindow(config, { logger: { warn: () => {} } }).budget.max;
}

function withinModel(conversation: ConversationHistoryConfig, { window }: FoundModel, max_output: number) {
  const limit = Math.max(1, window - max_output);
  return { ...conversation, limit: Math.min(conversation.limit || limit, limit) };
}
