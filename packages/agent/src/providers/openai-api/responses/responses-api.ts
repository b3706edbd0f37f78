import { type FoundModel, wantsBreakpoints } from '@holdfast/models';
import { openaiResponses } from 'holdfast';
import type OpenAI from 'openai';
import type { Api, ApiRequest } from '../../../loop/api.ts';
import type { ResolvedOptions } from '../../../loop/api-options.ts';
import { createCallIds } from '../../../loop/received-call.ts';
import { type Open, readAnswer } from '../../../loop/stream.ts';
import { cacheKey } from '../cache-key.ts';
import { createResponsesReader, type ResponsesIds } from './answer.ts';
import { withoutLost, withoutThinking } from './reasoning.ts';

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
  const { model, system, tools = [] } = options;
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
  const input = ({ messages }: ApiRequest<Item>): Item[] => [...head, ...withoutLost(messages)];
  const stream = async (body: Body, onText: (text: string) => void, signal: AbortSignal) => {
    const reader = createResponsesReader(onText, idsOf(body.input));
    const open: Open<OpenAI.Responses.ResponseStreamEvent> = (own, fetch) =>
      client.withOptions({ fetch }).responses.create({ ...body, stream: true }, { signal: own });
    return readAnswer(open, reader, options, signal);
  };
  return {
    dialect: openaiResponses<Item>(),
    withoutThinking,
    prompt: (text) => ({ role: 'user', content: text }),
    results: (results) => results.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
    send: (outgoing, onText, signal) => stream({ ...fixed, input: input(outgoing) }, onText, signal),
    async count(outgoing, signal) {
      return (await client.responses.inputTokens.count({ ...counted, input: input(outgoing) }, { signal }))
        .input_tokens;
    },
    async say(prompt, other, max_output_tokens, signal) {
      const body: Body = { model: other, store: false, max_output_tokens, input: prompt };
      return await stream(body, () => {}, signal);
    },
  };
}

/** Call ids that the API accepts. */
const CALL_ID = /^\S.{0,63}$/;

function idsOf(input: Body['input']): ResponsesIds {
  const items = typeof input === 'string' ? [] : (input ?? []);
  const called = items.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
  return {
    calls: createCallIds(called, CALL_ID),
    items: new Set(items.flatMap((item) => ('id' in item && item.id ? [item.id] : []))),
  };
}

function systemItem(text: string, marked: boolean): Item {
  const part = { type: 'input_text', text, ...(marked ? { prompt_cache_breakpoint: { mode: 'explicit' } } : {}) };
  return { role: 'developer', content: [part] } as Item;
}

function toolOf({ name, description, input_schema }: NonNullable<ResolvedOptions['tools']>[number]) {
  return { type: 'function' as const, name, description, parameters: { ...input_schema }, strict: false };
}
