import { type FoundModel, wantsBreakpoints } from '@holdfast/models';
import { openaiChat } from 'holdfast';
import type OpenAI from 'openai';
import type { Api } from '../../../loop/api.ts';
import type { ResolvedOptions } from '../../../loop/api-options.ts';
import { createCallIds } from '../../../loop/received-call.ts';
import { type Open, readAnswer } from '../../../loop/stream.ts';
import { cacheKey } from '../cache-key.ts';
import { createChatReader } from './answer.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

/** A server accepts its own ids, however odd they look. */
const CALL_ID = /\S/;

/** Chat Completions with this model, these tools and this system prompt. */
export function chatApi(client: OpenAI, options: ResolvedOptions, info: FoundModel, max_output: number): Api<Message> {
  const { model, system, tools = [] } = options;
  const head = system ? [systemMessage(system, wantsBreakpoints(info))] : [];
  const fixed: Omit<Body, 'messages'> = {
    model,
    max_completion_tokens: max_output,
    prompt_cache_key: cacheKey(options),
    ...(options.thinking === false && info.thinking !== 'none' ? { reasoning_effort: 'none' } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
  };
  const stream = async (body: Body, onText: (text: string) => void, signal: AbortSignal) => {
    const reader = createChatReader(onText, createCallIds(body.messages.flatMap(callsIn), CALL_ID));
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } } as const;
    const open: Open<OpenAI.ChatCompletionChunk> = (own, fetch) =>
      client.withOptions({ fetch }).chat.completions.create(streamed, { signal: own });
    return readAnswer(open, reader, options, signal);
  };
  return {
    dialect: openaiChat<Message>(),
    prompt: (text) => ({ role: 'user', content: text }),
    results: (results) => results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
    send: ({ messages }, onText, signal) => stream({ ...fixed, messages: [...head, ...messages] }, onText, signal),
    async say(prompt, other, max_completion_tokens, signal) {
      const messages: Message[] = [{ role: 'user', content: prompt }];
      return await stream({ model: other, max_completion_tokens, messages }, () => {}, signal);
    },
  };
}

function callsIn(message: Message): string[] {
  return message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [];
}

function systemMessage(text: string, marked: boolean): Message {
  const prompt_cache_breakpoint = { mode: 'explicit' } as const;
  return { role: 'system', content: marked ? [{ type: 'text', text, prompt_cache_breakpoint }] : text };
}

function toolOf({ name, description, input_schema }: NonNullable<ResolvedOptions['tools']>[number]) {
  return { type: 'function' as const, function: { name, description, parameters: { ...input_schema } } };
}
