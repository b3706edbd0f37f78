import { createHash } from 'node:crypto';
import {
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicRequest,
  type OpenaiChatMessage,
  type OpenaiResponsesItem,
  openaiChatError,
  openaiResponsesError,
  validateAnthropic,
  validateOpenaiChat,
  validateOpenaiResponses,
} from 'holdfast/rules';

/** A request's body, with `input` as its messages where the API calls them so. */
export interface Body extends AnthropicRequest {
  readonly messages: readonly unknown[];
  readonly input?: readonly unknown[];
  readonly instructions?: string;
  readonly store?: boolean;
}

/** An API's answer to a request that breaks a rule. */
export interface Refusal {
  readonly status: number;
  readonly body: object;
}

/** Which response it is, and what the request cost. */
interface Reply {
  readonly number: number;
  readonly tokens: number;
  readonly cached: number;
}

/** One API: what it says of a request, and its answer with these calls, or with words if there are none. */
interface Endpoint {
  refuse(body: Body, tokens: number, limit: number): Refusal | undefined;
  answer(body: Body, paths: readonly string[], reply: Reply): object;
}

/** The APIs by their path. */
export const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/v1/messages': { refuse: refuseMessages, answer: answerMessages },
  '/v1/chat/completions': { refuse: refuseChat, answer: answerChat },
  '/v1/responses': { refuse: refuseResponses, answer: answerResponses },
};

function refuseMessages({ messages, ...request }: Body, tokens: number, limit: number): Refusal | undefined {
  const model = { prefill: false, thinking: 'adaptive', binding: true, forced_tool_choice: false } as const;
  const facts: AnthropicRequest = {
    tools: [],
    betas: [],
    ...request,
    input_tokens: tokens,
    limit,
    model,
    signature: judge,
  };
  const [broken] = validateAnthropic(messages as AnthropicMessage[], facts);
  const error = { type: 'invalid_request_error', message: broken?.message ?? '' };
  return broken && { status: 400, body: { type: 'error', error } };
}

/** Thinking is bound to all that stood before it. */
function judge({ signature }: AnthropicBlock, messages: readonly unknown[], index: number) {
  const cause = 'Content before this block differs from when it was created.';
  return signature === sign(messages.slice(0, index)) ? undefined : { cause };
}

function sign(messages: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(messages)).digest('base64');
}

function answerMessages(body: Body, paths: readonly string[], { number, tokens, cached }: Reply): object {
  const thought = { type: 'thinking', thinking: 'What next?', signature: sign(body.messages) };
  const words = { type: 'text', text: paths.length > 0 ? 'I read on.' : 'Done.', citations: null };
  const calls = paths.map((path) => ({
    type: 'tool_use',
    id: `toolu_${idOf(path)}`,
    name: 'read_file',
    input: { path },
  }));
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-5-5',
    content: [...(body.thinking ? [thought] : []), words, ...calls],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 0,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: tokens - cached,
      output_tokens: 20,
    },
  };
}

function refuseChat({ messages }: Body, tokens: number, limit: number): Refusal | undefined {
  const [broken] = validateOpenaiChat(messages as OpenaiChatMessage[], { input_tokens: tokens, limit });
  return broken && { status: 400, body: { error: openaiChatError(broken) } };
}

function answerChat(_: Body, paths: readonly string[], { number, tokens, cached }: Reply): object {
  const calls = paths.map((path) => ({
    id: `call_${idOf(path)}`,
    type: 'function',
    function: { name: 'read_file', arguments: JSON.stringify({ path }) },
  }));
  const asks = calls.length > 0;
  const message = {
    role: 'assistant',
    content: asks ? null : 'Done.',
    refusal: null,
    ...(asks ? { tool_calls: calls } : {}),
  };
  return {
    id: `chatcmpl-${number}`,
    object: 'chat.completion',
    created: 0,
    model: 'gpt-6-sol',
    choices: [{ index: 0, message, logprobs: null, finish_reason: asks ? 'tool_calls' : 'stop' }],
    usage: {
      prompt_tokens: tokens,
      completion_tokens: 20,
      total_tokens: tokens + 20,
      prompt_tokens_details: { cached_tokens: cached },
    },
  };
}

function refuseResponses({ messages, store }: Body, tokens: number, limit: number): Refusal | undefined {
  const items = messages as OpenaiResponsesItem[];
  const facts = {
    ...(store === undefined ? {} : { store }),
    // What this server made names the response that it came with.
    reasoning: new Map(items.map(({ id }) => [id ?? '', `rs_${id?.split('_')[1]}`])),
    ciphertext: (sealed: string) => (sealed.startsWith('gAAA') ? undefined : 'it was not made here'),
    input_tokens: tokens,
    limit,
  };
  const [broken] = validateOpenaiResponses(items, facts);
  if (!broken) return undefined;
  const { status, error } = openaiResponsesError(broken);
  return { status, body: { error } };
}

function answerResponses(_: Body, paths: readonly string[], { number, tokens, cached }: Reply): object {
  const thought = { id: `rs_${number}`, type: 'reasoning', summary: [], encrypted_content: 'gAAA'.repeat(100) };
  const calls = paths.map((path, at) => ({
    id: `fc_${number}_${at}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${idOf(path)}`,
    name: 'read_file',
    arguments: JSON.stringify({ path }),
  }));
  const words = {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'Done.', annotations: [], logprobs: [] }],
  };
  return {
    id: `resp_${number}`,
    object: 'response',
    created_at: 0,
    status: 'completed',
    error: null,
    model: 'gpt-6-sol',
    output: [thought, ...(calls.length > 0 ? calls : [words])],
    usage: {
      input_tokens: tokens,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 10 },
      total_tokens: tokens + 20,
    },
  };
}

function idOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 24);
}
