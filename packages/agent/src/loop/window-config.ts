import { answerRoom, boundedConfig, type FoundModel } from '@holdfast/models';
import { type ConversationHistoryConfig, configuredBudget, type Size } from 'holdfast';
import { defined } from '../defined.ts';
import type { Tool } from '../providers/provider.ts';
import type { ResolvedOptions } from './api-options.ts';

/** Characters per token, as the engine assumes before the first usage report. */
const CHARACTERS = 3;
/** Tokens that APIs add to a request with tools. */
const TOOL_PROMPT = 300;

/**
 * The window's configuration for this model: `limit` is its context window minus the answer, `reserve` the size of system
 * prompt and tools, `max_tokens` the default budget. The user's values win, within the model's limit. Pure.
 */
export function windowConfig(
  options: ResolvedOptions,
  info: FoundModel,
  max_output: number,
): ConversationHistoryConfig & { readonly limit: number } {
  const reserve = reserveOf(options);
  return {
    ...defined({ summarization_model: options.summarization_model }),
    ...boundedConfig(fullConversation(options), info, { answer: max_output, reserve }),
    reserve,
  };
}

/** Tokens of system prompt and tools, unless the user set `reserve`. Pure. */
export function reserveOf({
  system = '',
  tools = [],
  conversation,
}: Pick<ResolvedOptions, 'system' | 'tools' | 'conversation'>): number {
  const fixed = tools.length === 0 ? 0 : TOOL_PROMPT + toolsText(tools).length / CHARACTERS;
  return conversation?.reserve ?? Math.ceil(system.length / CHARACTERS + fixed);
}

/** The tools as the model sees them, as JSON; empty if there are none. Pure. */
export function toolsText(tools: readonly Tool[]): string {
  const told = tools.map(({ name, description, input_schema }) => [name, description, input_schema]);
  return tools.length === 0 ? '' : JSON.stringify(told);
}

/** The conversation's configuration with `max_conversation_messages` resolved. Pure. */
export function fullConversation({
  conversation = {},
  max_conversation_messages: beside,
}: Pick<ResolvedOptions, 'conversation' | 'max_conversation_messages'>): ConversationHistoryConfig {
  const { max_conversation_messages: inside, ...full } = conversation;
  const max_messages = full.max_messages ?? inside ?? beside;
  return max_messages === undefined ? full : { ...full, max_messages };
}

/** The budget of a conversation with this model, before its server is asked for anything. Pure. */
export function plannedBudget(
  conversation: ConversationHistoryConfig,
  info: FoundModel,
  max_output: number | undefined,
): Size {
  const config = boundedConfig(fullConversation({ conversation }), info, { answer: answerRoom(info, max_output) });
  return configuredBudget(config).max;
}
