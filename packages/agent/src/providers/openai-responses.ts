import { openaiResponses } from 'holdfast';
import type OpenAI from 'openai';
import type { FoundModel } from '../models/model.ts';
import type { Api, Outgoing } from './api.ts';
import type { ResolvedOptions } from './api-options.ts';
import { cacheKey, wantsBreakpoints } from './openai-cache.ts';
import { createResponsesReader } from './responses-answer.ts';
import { readStream } from './stream.ts';

type Item = OpenAI.Responses.ResponseInputItem;
type Body = OpenAI.Responses.ResponseCreateParamsNonStreaming;

/**
 * The Responses API with this model, these tools and this system prompt. All items are sent each time and nothing is
 * stored: `previous_response_id` would bring back what was folded.
 */
export function responsesApi(
  client: OpenAI,
  options: ResolvedOptions,
  info: FoundModel,
  max_output: number,
): Api<Item> {
  const { model, idle_timeout_ms, system, tools = [] } = options;
  const thinks = info.thinking !== 'none';
  const head = system ? [systemItem(system, wantsBreakpoints(info))] : [];
  const counted = {
    model,
    ...(options.thinking === false && thinks ? { reasoning: { effort: 'none' as const } } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
  };
  const fixed: Body = {
    ...counted,
    store: false,
    max_output_tokens: max_output,
    prompt_cache_key: cacheKey(options),
    ...(thinks ? { include: ['reasoning.encrypted_content'] } : {}),
  };
  const input = ({ messages }: Outgoing<Item>): Item[] => [...head, ...messages];
  const stream = async (body: Body, onText: (text: string) => void, signal: AbortSignal) => {
    const reader = createResponsesReader(onText);
    const open = (own: AbortSignal) => client.responses.create({ ...body, stream: true }, { signal: own });
    return reader.answer(await readStream(open, reader.take, idle_timeout_ms, signal));
  };
  return {
    dialect: openaiResponses<Item>(),
    prompt: (text) => ({ role: 'user', content: text }),
    results: (results) => results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
    send: (outgoing, onText, signal) => stream({ ...fixed, input: input(outgoing) }, onText, signal),
    async count(outgoing, signal) {
      return (await client.responses.inputTokens.count({ ...counted, input: input(outgoing) }, { signal }))
        .input_tokens;
    },
    async say(prompt, other, max_output_tokens, signal) {
      const body: Body = { model: other, store: false, max_output_tokens, input: prompt };
      const { text, report } = await stream(body, () => {}, signal);
      return { text, usage: report?.usage };
    },
  };
}

function systemItem(text: string, marked: boolean): Item {
  const part = { type: 'input_text', text, ...(marked ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {}) };
  return { role: 'developer', content: [part] } as Item;
}

function toolOf({ name, description, input_schema }: NonNullable<ResolvedOptions['tools']>[number]) {
  return { type: 'function' as const, name, description, parameters: { ...input_schema }, strict: false };
}
