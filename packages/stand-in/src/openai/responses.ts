import {
  type OpenaiResponsesItem,
  openaiResponsesError,
  openaiResponsesTools,
  validateOpenaiResponses,
} from 'holdfast/rules';
import { jsonBody, type Outcome, type Serve } from '../exchange.ts';
import { hashOf, isJson, type Json, parsed, textOf } from '../json.ts';
import { lastOf, measure, type PromptPart } from '../measure.ts';
import type { OpenaiStandInModel } from '../models.ts';
import { Refusal } from '../refusal.ts';
import { type Prompt, type PromptMessage, type PromptTool, promptFor, wordsOf } from '../script.ts';
import type { State, StoredResponse } from '../state.ts';
import { answerOpenai, contentParts, missing, type OpenaiRequest, openaiTool, readOpenaiBody } from './body.ts';
import {
  failedEvents,
  outputItems,
  responseAnswer,
  responseEvents,
  responseHead,
  responsesUsage,
} from './responses-answer.ts';

interface ResponsesRequest extends OpenaiRequest {
  /** The whole conversation: earlier responses, then this request; references replaced by what they name. */
  readonly items: readonly OpenaiResponsesItem[];
}

const PARAMETERS =
  'access_programs background client_metadata context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls personality previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user';
/** What only a real server can do. */
const BEYOND = ['background', 'context_management', 'conversation', 'prompt'];

/** `POST /v1/responses`. Throws a Refusal. */
export const createResponse: Serve = async (arrived, state, limitOf) => {
  const value = jsonBody(arrived);
  try {
    const request = readRequest(value, state, ({ window }) => window);
    if (limitOf) readRequest(value, state, () => limitOf(lastOf(request.prompt).tokens));
    return await answerRequest(request, state);
  } catch (error) {
    const inStream = state.overflowInStream && isJson(value) && value.stream === true;
    if (!(inStream && error instanceof Refusal && error.fields.code === 'context_length_exceeded')) throw error;
    const head = responseHead(`resp_stand_in_${state.count()}`, Math.floor(state.now() / 1000), value);
    return { body: {}, events: failedEvents(head, error), refusal: error };
  }
};

/** `POST /v1/responses/input_tokens`: the tokens that the same request is billed for. Throws a Refusal. */
export const countResponse: Serve = (arrived, state) => {
  const { prompt } = readRequest(jsonBody(arrived), state);
  return { body: { object: 'response.input_tokens', input_tokens: lastOf(prompt).tokens } };
};

async function answerRequest(request: ResponsesRequest, state: State): Promise<Outcome> {
  const { body } = request;
  const { tokens: input, hash } = lastOf(request.prompt);
  const { max_output_tokens: most } = body;
  const { reply, use, created, commit } = await answerOpenai(request, promptOf(request), most, state);
  const summary = isJson(body.reasoning) && Boolean(body.reasoning.summary);
  const output = outputItems(reply, hash, summary, toolsOf(body, request.items), state);
  const id = `resp_stand_in_${state.count()}`;
  const head = responseHead(id, created, body);
  const usage = responsesUsage(input, reply, use);
  const answer = responseAnswer(head, reply, output, usage);
  return {
    body: answer,
    ...(body.stream === true && { events: responseEvents(head, answer) }),
    usage,
    begin() {
      commit();
      remember(id, request, output, state);
    },
  };
}

/** Remembers which items belong to which reasoning, and stores the response unless the request opts out. */
function remember(id: string, { body, items }: ResponsesRequest, output: readonly Json[], state: State): void {
  const reasoning = output.find(({ type }) => type === 'reasoning');
  for (const item of output)
    if (reasoning && item !== reasoning) state.pairs.set(textOf(item.id), textOf(reasoning.id));
  if (body.store === false) return;
  const made: readonly OpenaiResponsesItem[] = output;
  for (const item of made) state.items.set(item.id ?? '', item);
  const calls = made.flatMap(({ type, call_id: call }) => (type?.endsWith('_call') && call ? [call] : []));
  state.responses.set(id, { items: [...items, ...made], open_calls: calls });
}

/** Checks a request against every rule of the API; without `limit`, it may be any size. Throws a Refusal. */
function readRequest(value: unknown, state: State, limit?: (model: OpenaiStandInModel) => number): ResponsesRequest {
  const { body, model } = readOpenaiBody(value, PARAMETERS, state);
  const { input, previous_response_id: parentId, store, conversation } = body;
  for (const key of BEYOND) if (body[key] && !(conversation && parentId)) throw beyond(key);
  if (body.truncation === 'auto') throw beyond('truncation');
  const own: unknown =
    typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? (parentId ? [] : undefined));
  if (!Array.isArray(own)) throw missing('input');
  const given: readonly OpenaiResponsesItem[] = own;
  const parent = typeof parentId === 'string' ? state.responses.get(parentId) : undefined;
  const items = [...(parent?.items ?? []), ...given.map((item) => resolved(item, state))];
  const prompt = measure('', responsesPrompt(body, items, model), model.characters);
  const [violation] = validateOpenaiResponses(given, {
    ...factsOf(given, parent, state),
    body,
    ...(typeof parentId === 'string' && {
      previous_response_id: parentId,
      responses: new Set(parent ? [parentId] : []),
    }),
    ...(typeof store === 'boolean' && { store }),
    ...(conversation !== undefined && { conversation }),
    input_tokens: lastOf(prompt).tokens,
    ...(limit && { limit: limit(model) }),
  });
  if (!violation && given.some(({ type }) => type === 'compaction_trigger')) throw beyond('compaction_trigger');
  if (!violation) return { body, items, model, prompt };
  const { status, error } = openaiResponsesError(violation);
  throw new Refusal(status, error.message, { param: error.param, code: error.code, rule: violation.rule });
}

function beyond(key: string): Refusal {
  return new Refusal(400, `${key}: the stand-in does not support this`, { param: key });
}

function resolved(item: OpenaiResponsesItem, state: State): OpenaiResponsesItem {
  const refers = isJson(item) && (item.type === 'item_reference' || (!item.type && item.role === undefined));
  return (refers && state.items.get(textOf(item.id))) || item;
}

/** What the server knows about the items in this request. */
function factsOf(items: readonly OpenaiResponsesItem[], parent: StoredResponse | undefined, state: State) {
  const ids = items.flatMap((item) => (isJson(item) && typeof item.id === 'string' ? [item.id] : []));
  const reasoning = new Map<string, string>();
  // Reasoning in the conversation before this request is not missing.
  const before = new Set(parent?.items.map(({ id }) => id));
  for (const id of ids) {
    const pair = state.pairs.get(id);
    if (pair !== undefined && !before.has(pair)) reasoning.set(id, pair);
  }
  const unread = 'Encrypted content could not be decrypted or parsed.';
  return {
    items: new Set(ids.filter((id) => state.items.get(id) !== undefined)),
    reasoning,
    ...(parent && { open_calls: parent.open_calls }),
    ciphertext: (sealed: string) => (state.reasoning.open(sealed) ? undefined : unread),
  };
}

/** The prompt in order: instructions, tools, the format of the answer, then each item. Pure. */
function responsesPrompt(body: Json, items: readonly OpenaiResponsesItem[], model: OpenaiStandInModel): PromptPart[] {
  const list: PromptPart[] = [];
  if (body.instructions) list.push({ text: `system: ${textOf(body.instructions)}`, last: true });
  for (const head of [body.tools, body.text]) if (head) list.push({ text: JSON.stringify(head) });
  for (const item of items) if (isJson(item)) list.push(...itemParts(item, body, model.characters));
  return list;
}

/** Only the ids of calls count: the server would not show others to a model. */
function itemParts(item: OpenaiResponsesItem, body: Json, characters?: number): PromptPart[] {
  const { type, role, content, call_id: call, output, name, arguments: given, encrypted_content: sealed } = item;
  if (role !== undefined && type !== 'additional_tools') return contentParts(`\n${role}: `, content, body, characters);
  if (output !== undefined && call) return contentParts(`\n${type} ${call}: `, output, body, characters);
  if (type === 'function_call') return [{ text: `\ncall ${call} ${name} ${given}`, last: true }];
  if (type === 'custom_tool_call') return [{ text: `\ncall ${call} ${name} ${item.input}`, last: true }];
  if (type === 'reasoning')
    return [{ text: `\nreasoning ${hashOf(sealed ?? JSON.stringify(item.summary) ?? '')}`, last: true }];
  const { id: _, ...rest } = item;
  return [{ text: `\n${JSON.stringify(rest)}`, last: true }];
}

/** Adjacent items of the same side become one message. */
function promptOf({ body, items }: ResponsesRequest): Prompt {
  const messages: PromptMessage[] = [];
  const system = [textOf(body.instructions)];
  for (const item of items) {
    const next = isJson(item) ? neutral(item) : undefined;
    const before = messages.at(-1);
    if (next?.role === 'system') system.push(next.text);
    else if (next && before?.role === next.role) messages[messages.length - 1] = joined(before, next);
    else if (next) messages.push(next);
  }
  const instructions = system.filter((text) => text !== '').join('\n');
  return promptFor({ api: 'openai-responses', body, system: instructions, messages, tools: toolsOf(body, items) });
}

/** Every tool of the request that a model sees; a deferred one is not seen until a search has loaded it. */
function toolsOf(body: Json, items: readonly OpenaiResponsesItem[]): PromptTool[] {
  const tools = openaiResponsesTools(body, items).filter(({ defer_loading: deferred }) => deferred !== true);
  return tools.flatMap((tool) => {
    const { type, namespace, name } = tool;
    if (type === 'local_shell') return { name: 'local_shell', description: '', schema: {}, kind: 'local_shell' };
    if (type === 'namespace' || typeof name !== 'string') return [];
    return {
      ...openaiTool(tool),
      ...(type === 'custom' && { kind: 'custom' }),
      ...(typeof namespace === 'string' && { namespace }),
    };
  });
}

function joined(one: PromptMessage, other: PromptMessage): PromptMessage {
  return {
    role: one.role,
    text: [one.text, other.text].filter((text) => text !== '').join('\n'),
    calls: [...one.calls, ...other.calls],
    results: [...one.results, ...other.results],
  };
}

function neutral(item: OpenaiResponsesItem): PromptMessage | undefined {
  const { type, role, content, call_id: id, output, name } = item;
  const bare = { text: '', calls: [], results: [] };
  if (role !== undefined) {
    const side = role === 'assistant' ? role : role === 'user' ? role : 'system';
    return { ...bare, role: side, text: wordsOf(content) };
  }
  if (typeof id !== 'string') return undefined;
  if (type?.endsWith('_output'))
    return { ...bare, role: 'user', results: [{ id, text: wordsOf(output) || textOf(output), error: false }] };
  const input = parsed(item.arguments ?? item.input ?? item.action ?? item.operation);
  return { ...bare, role: 'assistant', calls: [{ id, name: name ?? type ?? '', input }] };
}
