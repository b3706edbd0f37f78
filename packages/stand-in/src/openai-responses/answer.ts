import type { OpenaiCacheUse } from '../cache/openai-cache.ts';
import { hashOf, isJson, type Json } from '../json.ts';
import { NO_MODEL } from '../no-model.ts';
import type { Reply } from '../reply.ts';
import type { State } from '../state.ts';

/** The items of an answer, in order: reasoning, words, calls. Ids are made from the prompt's hash. */
export function outputItems(reply: Reply, hash: string, summary: boolean, state: State): Json[] {
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
  // Reasoning never comes alone, and neither does an answer without calls.
  if (reply.text !== '' || reply.calls.length === 0) {
    const content = [{ type: 'output_text', text: reply.text, annotations: [], logprobs: [] }];
    items.push({ type: 'message', id: id('msg', 0), role: 'assistant', status: statusOf(reply), content });
  }
  for (const [at, { id: call, name, json }] of reply.calls.entries())
    items.push({ type: 'function_call', id: id('fc', at), call_id: call, name, arguments: json, status: 'completed' });
  return items;
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

/** A response before anything is said: what its body and its first events begin with. */
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
