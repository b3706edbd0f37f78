import { NO_MODEL, type StreamEvent } from '../exchange.ts';
import type { Json } from '../json.ts';
import { type Reply, textChunks } from '../reply.ts';
import type { OpenaiCacheUse } from './cache.ts';

const STOPS = {
  end: 'stop',
  calls: 'tool_calls',
  length: 'length',
  window: 'length',
  refusal: 'content_filter',
} as const satisfies Record<Reply['stop'], string>;

/** The event for an error in the middle of a stream. */
export const CHAT_FAILURE: StreamEvent = {
  data: JSON.stringify({
    error: {
      message: 'The server had an error while processing your request.',
      type: 'server_error',
      param: null,
      code: null,
    },
  }),
};

/** What every chunk of an answer, and its body, begins with. */
interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** The usage of an answer. */
export function chatUsage(input: number, reply: Reply, use: OpenaiCacheUse): Json {
  return {
    prompt_tokens: input,
    completion_tokens: reply.tokens,
    total_tokens: input + reply.tokens,
    prompt_tokens_details: { ...use, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reply.thinking_tokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

/** The answer's body; other makers show their reasoning in it. Pure. */
export function chatAnswer(head: ChatHead, reply: Reply, usage: Json, vendor = false): Json {
  const calls = reply.calls.map(({ id, name, json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }));
  const content = reply.text === '' && calls.length > 0 ? null : reply.text;
  const message = {
    role: 'assistant',
    content,
    refusal: null,
    annotations: [],
    ...(vendor && reply.thinking.length > 0 && { reasoning_content: reply.thinking.join('\n\n') }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    ...headOf(head, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: STOPS[reply.stop] }],
    usage,
  };
}

/** The same answer as a stream; `usage`, if given, in a chunk of its own at the end. Pure. */
export function chatEvents(head: ChatHead, reply: Reply, usage: Json | undefined, vendor = false): StreamEvent[] {
  const events: StreamEvent[] = [];
  const add = (choices: readonly Json[], used: Json | null) =>
    events.push({
      data: JSON.stringify({ ...headOf(head, 'chat.completion.chunk'), choices, ...(usage && { usage: used }) }),
    });
  const delta = (fields: Json, finish: string | null = null) =>
    add([{ index: 0, delta: fields, logprobs: null, finish_reason: finish }], null);
  delta({ role: 'assistant', content: reply.text === '' && reply.calls.length > 0 ? null : '', refusal: null });
  if (vendor) for (const part of textChunks(reply.thinking.join('\n\n'))) delta({ reasoning_content: part });
  for (const content of textChunks(reply.text)) delta({ content });
  for (const [index, { id, name, json }] of reply.calls.entries()) {
    delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
    for (const part of textChunks(json)) delta({ tool_calls: [{ index, function: { arguments: part } }] });
  }
  delta({}, STOPS[reply.stop]);
  if (usage) add([], usage);
  return [...events, { data: '[DONE]' }];
}

function headOf({ id, created, model }: ChatHead, object: string): Json {
  return {
    id,
    object,
    created,
    model,
    service_tier: 'default',
    system_fingerprint: 'fp_stand_in_no_model',
    ...NO_MODEL,
  };
}
