import { type OpenaiChatMessage, openaiChatError, validateOpenaiChat } from 'holdfast/rules';
import { isJson, type Json } from '../json.ts';
import { type Measured, measure, type Piece } from '../measure.ts';
import type { OpenaiStandInModel } from '../models.ts';
import { checkParameters, contentPieces, missing, openaiModel } from '../openai-body.ts';
import { Refusal } from '../refusal.ts';
import type { State } from '../state.ts';
import { checkChatShapes } from './shapes.ts';

/** A request that no rule is broken in. */
export interface ChatJudged {
  readonly body: Json;
  readonly messages: readonly OpenaiChatMessage[];
  readonly model: OpenaiStandInModel;
  readonly prompt: readonly Measured[];
}

const PARAMETERS =
  'messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options'.split(
    ' ',
  );

/** Holds a request against every rule of the API. Throws a Refusal for the first that is broken. */
export function judgeChat(value: unknown, state: State, limit?: number): ChatJudged {
  if (!isJson(value)) throw new Refusal(400, 'Invalid type for the request body: expected an object.');
  checkParameters(value, PARAMETERS);
  const model = openaiModel(value.model, state);
  const { messages, max_tokens: old, stream, stream_options: streaming } = value;
  if (!Array.isArray(messages)) throw missing('messages');
  if (messages.length === 0)
    throw new Refusal(
      400,
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      {
        param: 'messages',
        code: 'empty_array',
      },
    );
  if ((value.n ?? 1) !== 1) throw new Refusal(400, 'n: the stand-in answers with one choice', { param: 'n' });
  if (old !== undefined && old !== null && model.reasoning) {
    const text =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    throw new Refusal(400, text, { param: 'max_tokens', code: 'unsupported_parameter' });
  }
  if (streaming !== undefined && streaming !== null && stream !== true)
    throw new Refusal(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  checkChatShapes(messages);
  const prompt = measure('', chatPieces(value, messages, model), model.characters);
  const input = prompt.at(-1)?.tokens ?? 0;
  const [violation] = validateOpenaiChat(messages, { input_tokens: input, limit: limit ?? model.window });
  if (!violation) return { body: value, messages, model, prompt };
  const { message, param, code } = openaiChatError(violation);
  const older = violation.rule === 'prompt-too-long' && model.older_words;
  const text = older
    ? `This model's maximum context length is ${limit ?? model.window} tokens. However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`
    : message;
  throw new Refusal(400, text, { param, code, rule: violation.rule });
}

/** The prompt in its order: tools, the form of the answer, then message by message. Pure. */
function chatPieces(body: Json, messages: readonly unknown[], model: OpenaiStandInModel): Piece[] {
  const { tools, functions, response_format: format } = body;
  const list: Piece[] = [];
  for (const head of [tools, functions, format]) if (head) list.push({ text: JSON.stringify(head) });
  for (const message of messages) {
    const { role, name, content, tool_calls: calls, tool_call_id: id } = isJson(message) ? message : {};
    const parts = contentPieces(`\n${role} ${name ?? ''}${id ?? ''}: `, content, body, model.characters);
    if (!calls) list.push(...parts);
    else list.push(...parts.map((part) => ({ ...part, last: false })), { text: JSON.stringify(calls), last: true });
  }
  return list;
}
