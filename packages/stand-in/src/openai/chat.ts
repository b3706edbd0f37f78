import { type OpenaiChatMessage, openaiChatError, validateOpenaiChat } from 'holdfast/rules';
import { jsonBody, type Serve } from '../exchange.ts';
import { isJson, type Json, listOf, parsed, textOf } from '../json.ts';
import { lastOf, measure, type PromptPart } from '../measure.ts';
import type { OpenaiStandInModel } from '../models.ts';
import { Refusal } from '../refusal.ts';
import { type Prompt, type PromptMessage, promptFor, wordsOf } from '../script.ts';
import type { State } from '../state.ts';
import { answerOpenai, contentParts, missing, type OpenaiRequest, openaiTool, readOpenaiBody } from './body.ts';
import { chatAnswer, chatEvents, chatUsage } from './chat-answer.ts';

interface ChatRequest extends OpenaiRequest {
  readonly messages: readonly OpenaiChatMessage[];
}

const PARAMETERS =
  'messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options';
/** Parameters of other makers' servers. */
const VENDOR = 'enable_thinking thinking_budget thinking reasoning repetition_penalty top_k';
const EMPTY =
  "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";

/** `POST /v1/chat/completions`. Throws a Refusal. */
export const createCompletion: Serve = async (arrived, state, limitOf) => {
  const value = jsonBody(arrived);
  const request = readRequest(value, state);
  const { body, model } = request;
  const input = lastOf(request.prompt).tokens;
  if (limitOf) readRequest(value, state, limitOf(input));
  const most = body.max_completion_tokens ?? body.max_tokens;
  const { reply, use, created, commit } = await answerOpenai(request, promptOf(request), most, state);
  const head = { id: `chatcmpl-stand-in-${state.count()}`, created, model: textOf(body.model) };
  const usage = chatUsage(input, reply, use);
  const streamed = isJson(body.stream_options) && body.stream_options.include_usage === true;
  return {
    body: chatAnswer(head, reply, usage, model.vendor),
    ...(body.stream === true && { events: chatEvents(head, reply, streamed ? usage : undefined, model.vendor) }),
    usage,
    begin: commit,
  };
};

/** Checks a request against every rule of the API. Throws a Refusal for the first that is broken. */
function readRequest(value: unknown, state: State, limit?: number): ChatRequest {
  const { body, model } = readOpenaiBody(value, PARAMETERS, state, VENDOR);
  const { messages, max_tokens: old, stream, stream_options: streaming } = body;
  if (!Array.isArray(messages)) throw missing('messages');
  if (messages.length === 0) throw new Refusal(400, EMPTY, { param: 'messages', code: 'empty_array' });
  if ((body.n ?? 1) !== 1) throw new Refusal(400, 'n: the stand-in answers with one choice', { param: 'n' });
  if (old !== undefined && old !== null && model.reasoning && !model.vendor) {
    const text =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    throw new Refusal(400, text, { param: 'max_tokens', code: 'unsupported_parameter' });
  }
  if (streaming !== undefined && streaming !== null && stream !== true)
    throw new Refusal(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: 'stream_options',
    });
  checkChatShapes(messages);
  const prompt = measure('', chatPrompt(body, messages, model), model.characters);
  const input = lastOf(prompt).tokens;
  const [violation] = validateOpenaiChat(messages, {
    body,
    vendor: model.vendor === true,
    input_tokens: input,
    limit: limit ?? model.window,
  });
  if (!violation) return { body, messages, model, prompt };
  const { message, param, code } = openaiChatError(violation);
  const isOlder = violation.rule === 'prompt-too-long' && model.older_words;
  const text = isOlder
    ? `This model's maximum context length is ${limit ?? model.window} tokens. However, your messages resulted in ${input} tokens. Please reduce the length of the messages.`
    : message;
  throw new Refusal(400, text, { param, code, rule: violation.rule });
}

/** The prompt in order: tools, the format of the answer, then each message. Pure. */
function chatPrompt(body: Json, messages: readonly unknown[], model: OpenaiStandInModel): PromptPart[] {
  const { tools, functions, response_format: format } = body;
  const list: PromptPart[] = [];
  for (const head of [tools, functions, format]) if (head) list.push({ text: JSON.stringify(head) });
  for (const message of messages) {
    const { role, name = '', content, tool_calls: calls, ...rest } = isJson(message) ? message : {};
    const head = `\n${role} ${name ?? ''}${rest.tool_call_id ?? ''}: ${textOf(rest.reasoning_content)}`;
    const parts = contentParts(head, content, body, model.characters);
    if (!calls) list.push(...parts);
    else list.push(...parts.map((part) => ({ ...part, last: false })), { text: JSON.stringify(calls), last: true });
  }
  return list;
}

/** Checks the calls and ids of messages; the rules check their contents. Throws a Refusal. */
function checkChatShapes(messages: readonly unknown[]): void {
  for (const [index, message] of messages.entries()) {
    if (!isJson(message)) continue;
    const own = `messages[${index}]`;
    const { role, tool_calls: calls, tool_call_id: id } = message;
    if (role === 'tool' && typeof id !== 'string') throw missing(`${own}.tool_call_id`);
    if (calls === undefined || calls === null) continue;
    if (!Array.isArray(calls)) throw wrong(`${own}.tool_calls`, 'an array of objects');
    for (const [at, call] of calls.entries()) checkCall(call, `${own}.tool_calls[${at}]`);
  }
}

function checkCall(call: unknown, own: string): void {
  if (!isJson(call)) throw wrong(own, 'an object');
  const { id, type = 'function' } = call;
  if (typeof id !== 'string') throw missing(`${own}.id`);
  const called = type === 'custom' ? call.custom : call.function;
  const given = type === 'custom' ? 'input' : 'arguments';
  if (!isJson(called)) throw missing(`${own}.${type}`);
  for (const field of ['name', given]) if (typeof called[field] !== 'string') throw missing(`${own}.${type}.${field}`);
}

function wrong(param: string, expected: string): Refusal {
  return new Refusal(400, `Invalid type for '${param}': expected ${expected}.`, { param, code: 'invalid_type' });
}

function promptOf({ body, messages }: ChatRequest): Prompt {
  const all = messages.map(neutral);
  const system = all.flatMap(({ role, text }) => (role === 'system' ? [text] : []));
  const said = all.filter(({ role }) => role !== 'system');
  const tools = listOf(body.tools).map(openaiTool);
  return promptFor({ api: 'openai-chat', body, system: system.join('\n'), messages: said, tools });
}

function neutral({ role, content, tool_calls: calls, tool_call_id: id = '' }: OpenaiChatMessage): PromptMessage {
  const text = wordsOf(content);
  if (role === 'tool') return { role: 'user', text: '', calls: [], results: [{ id, text, error: false }] };
  return {
    role: role === 'developer' || role === 'system' ? 'system' : role === 'assistant' ? role : 'user',
    text,
    calls: (calls ?? []).map(({ id: call, function: called, custom }) => ({
      id: call,
      name: called?.name ?? custom?.name ?? '',
      input: parsed(called?.arguments ?? custom?.input),
    })),
    results: [],
  };
}
