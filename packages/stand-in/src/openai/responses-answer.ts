import { NO_MODEL, type StreamEvent } from '../exchange.ts';
import { hashOf, isJson, type Json, listOf, textOf } from '../json.ts';
import type { Refusal } from '../refusal.ts';
import { type Reply, type ReplyCall, textChunks } from '../reply.ts';
import type { PromptTool } from '../script.ts';
import type { State } from '../state.ts';
import type { OpenaiCacheUse } from './cache.ts';

/** The items of an answer, in order: reasoning, text, calls. Ids are derived from the prompt's hash. */
export function outputItems(
  reply: Reply,
  hash: string,
  summary: boolean,
  tools: readonly PromptTool[],
  state: State,
): Json[] {
  const id = (prefix: string, at: number) => `${prefix}_${hashOf(hash, prefix, `${at}`)}`;
  const items: Json[] = reply.thinking.slice(0, 1).map((_, at) => {
    const text = reply.thinking.join('\n\n');
    return {
      type: 'reasoning',
      id: id('rs', at),
      summary: summary ? [{ type: 'summary_text', text }] : [],
      encrypted_content: state.reasoning.close({ id: id('rs', at), text }),
      status: 'completed',
    };
  });
  // Reasoning is always followed by an item, even if the answer is empty.
  if (reply.text !== '' || reply.calls.length === 0) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [], logprobs: [] }];
    items.push({ type: 'message', id: id('msg', 0), role: 'assistant', status: statusOf(reply), content });
  }
  for (const [at, call] of reply.calls.entries()) {
    const tool = tools.find(({ name }) => name === call.name);
    items.push({ ...callItem(call, tool, (prefix) => id(prefix, at)), call_id: call.id, status: 'completed' });
  }
  return items;
}

/** A call in the form that its kind of tool has. */
function callItem(call: ReplyCall, tool: PromptTool | undefined, id: (prefix: string) => string): Json {
  const { name, input, json } = call;
  const group = tool?.namespace === undefined ? {} : { namespace: tool.namespace };
  switch (tool?.kind) {
    case 'custom':
      return {
        type: 'custom_tool_call',
        id: id('ctc'),
        name,
        input: typeof input === 'string' ? input : json,
        ...group,
      };
    case 'local_shell':
      return {
        type: 'local_shell_call',
        id: id('lsh'),
        action: { type: 'exec', env: {}, ...(isJson(input) && input) },
      };
    default:
      return { type: 'function_call', id: id('fc'), name, arguments: json, ...group };
  }
}

/** The usage of an answer. */
export function responsesUsage(input: number, reply: Reply, use: OpenaiCacheUse): Json {
  return {
    input_tokens: input,
    input_tokens_details: use,
    output_tokens: reply.tokens,
    output_tokens_details: { reasoning_tokens: reply.thinking_tokens },
    total_tokens: input + reply.tokens,
  };
}

/** A response without output: what its body and its first events begin with. */
export function responseHead(id: string, created: number, body: Json): Json {
  return {
    id,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    access_programs: null,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    model: body.model,
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: isJson(body.reasoning) ? body.reasoning : { effort: null, summary: null },
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
    usage: null,
    metadata: body.metadata ?? {},
    ...NO_MODEL,
  };
}

/** The whole response. Pure. */
export function responseAnswer(head: Json, reply: Reply, output: readonly Json[], usage: Json): Json {
  const status = statusOf(reply);
  const reason = reply.stop === 'refusal' ? 'content_filter' : 'max_output_tokens';
  return { ...head, status, incomplete_details: status === 'incomplete' ? { reason } : null, output, usage };
}

function statusOf({ stop }: Reply): 'completed' | 'incomplete' {
  return stop === 'end' || stop === 'calls' ? 'completed' : 'incomplete';
}

type Add = (type: string, fields: Json) => void;

/** What the fields of an item are before the stream fills them. */
const EMPTY: Json = { content: [], summary: [], arguments: '', input: '' };

/** A response as a stream: created, in progress, each item, and how it ended. Pure. */
export function responseEvents(head: Json, answer: Json): StreamEvent[] {
  return events((add) => {
    begin(add, head);
    for (const [output_index, item] of listOf(answer.output).entries()) {
      const { encrypted_content: _, ...bare } = item;
      const empty = Object.entries(EMPTY).filter(([field]) => bare[field] !== undefined);
      const open = { ...bare, ...Object.fromEntries(empty), status: 'in_progress' };
      add('response.output_item.added', { output_index, item: open });
      addInside(add, output_index, item);
      add('response.output_item.done', { output_index, item });
    }
    add(`response.${textOf(answer.status)}`, { response: answer });
  });
}

/** A stream that begins and then refuses the request. Pure. */
export function failedEvents(head: Json, { message, fields }: Refusal): StreamEvent[] {
  const error = { message, code: fields.code ?? null, param: fields.param ?? null };
  return events((add) => {
    begin(add, head);
    add('error', error);
    add('response.failed', { response: { ...head, status: 'failed', error } });
  });
}

/** The event for an error in the middle of a stream. */
export const RESPONSES_FAILURE: StreamEvent = {
  event: 'error',
  data: JSON.stringify({
    type: 'error',
    code: 'server_error',
    message: 'The server had an error while processing your request.',
    param: null,
    sequence_number: 0,
  }),
};

function events(fill: (add: Add) => void): StreamEvent[] {
  const list: StreamEvent[] = [];
  fill((type, fields) => {
    list.push({ event: type, data: JSON.stringify({ type, sequence_number: list.length, ...fields }) });
  });
  return list;
}

function begin(add: Add, head: Json): void {
  add('response.created', { response: head });
  add('response.in_progress', { response: head });
}

function addInside(add: Add, output_index: number, item: Json): void {
  const place = { item_id: item.id, output_index };
  for (const field of ['arguments', 'input']) {
    if (item[field] === undefined) continue;
    const whole = textOf(item[field]);
    for (const delta of textChunks(whole)) add(`response.${item.type}_${field}.delta`, { ...place, delta });
    add(`response.${item.type}_${field}.done`, { ...place, [field]: whole });
  }
  const addText = (index: Json, part: Json, event: string, textEvent: string, more: Json) => {
    const at = { ...place, ...index };
    const text = textOf(part.text);
    add(`response.${event}.added`, { ...at, part: { ...part, text: '' } });
    for (const delta of textChunks(text)) add(`response.${textEvent}.delta`, { ...at, delta, ...more });
    add(`response.${textEvent}.done`, { ...at, text, ...more });
    add(`response.${event}.done`, { ...at, part });
  };
  for (const [summary_index, part] of listOf(item.summary).entries())
    addText({ summary_index }, part, 'reasoning_summary_part', 'reasoning_summary_text', {});
  for (const [content_index, part] of listOf(item.content).entries())
    addText({ content_index }, part, 'content_part', 'output_text', { logprobs: [] });
}
