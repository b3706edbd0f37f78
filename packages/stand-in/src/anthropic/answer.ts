import type { AnthropicBlock } from 'holdfast/rules';
import type { StreamEvent } from '../exchange.ts';
import type { Json } from '../json.ts';
import { type Reply, textChunks } from '../reply.ts';
import type { AnthropicCacheUse } from './cache.ts';

/** A message as the API returns it. */
export interface AnthropicAnswer extends Json {
  readonly content: readonly AnthropicBlock[];
  readonly stop_reason: string;
  readonly usage: Json;
}

const STOPS = {
  end: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  window: 'model_context_window_exceeded',
  refusal: 'refusal',
} as const satisfies Record<Reply['stop'], string>;

/** The answer's body. `thinking` are its signed blocks. Pure. */
export function anthropicAnswer(
  id: string,
  model: string,
  thinking: readonly AnthropicBlock[],
  reply: Reply,
  use: AnthropicCacheUse,
  more: Json,
): AnthropicAnswer {
  const content: AnthropicBlock[] = [...thinking];
  if (reply.text !== '') content.push({ type: 'text', text: reply.text });
  for (const { id: call, name, input } of reply.calls)
    content.push({ type: 'tool_use', id: call, name, input, caller: { type: 'direct' } } as AnthropicBlock);
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    container: null,
    diagnostics: null,
    stop_reason: STOPS[reply.stop],
    stop_sequence: null,
    stop_details: null,
    usage: {
      ...use,
      output_tokens: reply.tokens,
      output_tokens_details: { thinking_tokens: reply.thinking_tokens },
      server_tool_use: null,
      service_tier: 'standard',
      inference_geo: null,
      speed: null,
    },
    ...more,
  };
}

/** The same answer as a stream. Pure. */
export function anthropicEvents(answer: AnthropicAnswer): StreamEvent[] {
  const { content, stop_reason, stop_sequence, stop_details, container, usage, context_management, ...rest } = answer;
  const start = { ...rest, container, content: [], stop_reason: null, stop_sequence: null, stop_details: null };
  const events = [event('message_start', { message: { ...start, usage: { ...usage, output_tokens: 1 } } })];
  for (const [index, block] of content.entries()) {
    const { started, deltas } = blockEvents(block);
    events.push(event('content_block_start', { index, content_block: started }));
    if (index === 0) events.push(event('ping', {}));
    for (const delta of deltas) events.push(event('content_block_delta', { index, delta }));
    events.push(event('content_block_stop', { index }));
  }
  const { cache_creation: _, service_tier: __, inference_geo: ___, speed: ____, ...counted } = usage;
  const delta = { stop_reason, stop_sequence, stop_details, container };
  const more = { ...(context_management !== undefined && { context_management }) };
  events.push(event('message_delta', { delta, usage: counted, ...more }), event('message_stop', {}));
  return events;
}

/** The event for an error in the middle of a stream. */
export const ANTHROPIC_FAILURE: StreamEvent = event('error', {
  error: { type: 'overloaded_error', message: 'Overloaded' },
});

function event(type: string, fields: Json): StreamEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function blockEvents(block: AnthropicBlock): { started: AnthropicBlock; deltas: Json[] } {
  switch (block.type) {
    case 'text': {
      const deltas = textChunks(block.text ?? '').map((text) => ({ type: 'text_delta', text }));
      return { started: { ...block, text: '' }, deltas };
    }
    case 'thinking': {
      const { thinking = '', signature = '' } = block;
      const deltas = textChunks(thinking).map((text): Json => ({ type: 'thinking_delta', thinking: text }));
      deltas.push({ type: 'signature_delta', signature });
      return { started: { ...block, thinking: '', signature: '' }, deltas };
    }
    case 'tool_use': {
      const parts = ['', ...textChunks(JSON.stringify(block.input))];
      const deltas = parts.map((partial_json) => ({ type: 'input_json_delta', partial_json }));
      return { started: { ...block, input: {} }, deltas };
    }
    default:
      return { started: block, deltas: [] };
  }
}
