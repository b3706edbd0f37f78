import type { ConversationHistoryConfig } from 'holdfast';
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
  const { conversation = {}, system = '', tools = [] } = options;
  const limit = Math.max(1, info.window - max_output);
  const schemas = tools.map(({ name, description, input_schema }) => [name, description, input_schema]);
  const fixed = tools.length === 0 ? 0 : TOOL_PROMPT + JSON.stringify(schemas).length / CHARACTERS;
  const { summarization_model } = options;
  return {
    ...(summarization_model === undefined ? {} : { summarization_model }),
    ...conversation,
    limit: Math.min(conversation.limit || limit, limit),
    reserve: conversation.reserve ?? Math.ceil(system.length / CHARACTERS + fixed),
  };
}
