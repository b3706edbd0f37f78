import type { WireMessage } from '@holdfast/sessions';
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from 'langchain';
import { type Fields, outputParts, partsOf, resultPart, textIn } from '../bridge/parts.ts';

/**
 * A LangChain message as one of the AI SDK, which has a place for all that it may contain. A call whose arguments are not JSON
 * is one if it has a result among `messages`. Pure.
 */
export function toWire(message: BaseMessage, messages: readonly BaseMessage[] = []): WireMessage {
  if (AIMessage.isInstance(message)) {
    const isAnswered = (id: unknown) => messages.some((one) => ToolMessage.isInstance(one) && one.tool_call_id === id);
    const { tool_calls = [], invalid_tool_calls = [] } = message;
    const calls = [...tool_calls, ...invalid_tool_calls.filter(({ id }) => isAnswered(id))];
    const parts = calls.map(({ id, name, args }) => {
      return { type: 'tool-call', toolCallId: String(id), toolName: String(name), input: args };
    });
    return { role: 'assistant', content: [...toParts(message), ...parts] };
  }
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id: toolCallId, name: toolName = '', status } = message;
    return { role: 'tool', content: [resultPart({ toolCallId, toolName }, toParts(message), status === 'error')] };
  }
  if (SystemMessage.isInstance(message)) return { role: 'system', content: message.text };
  return { role: 'user', content: toParts(message) };
}

/** The message that a note or a shortened copy becomes. Thinking is dropped: it is not valid in a copy. Pure. */
export function fromWire(wire: WireMessage): BaseMessage {
  const parts = partsOf(wire);
  if (wire.role === 'system') return new SystemMessage(contentOf(parts) as string);
  if (wire.role === 'tool') {
    const { toolCallId, toolName, output } = parts[0] ?? {};
    return new ToolMessage({
      tool_call_id: String(toolCallId),
      name: String(toolName),
      content: contentOf(outputParts(parts[0])) as string,
      ...(String((output as Fields).type).startsWith('error') ? { status: 'error' as const } : {}),
    });
  }
  if (wire.role !== 'assistant') return new HumanMessage(contentOf(parts));
  const calls = parts.filter(({ type }) => type === 'tool-call');
  return new AIMessage({
    content: contentOf(parts.filter(({ type }) => type === 'text')) as string,
    tool_calls: calls.map(({ toolCallId, toolName, input }) => {
      const args = typeof input === 'object' ? (input as Fields) : { input };
      return { type: 'tool_call' as const, id: String(toolCallId), name: String(toolName), args };
    }),
  });
}

/** Calls are in `tool_calls`, too, and come from there. */
const CALL = /^(?:tool_use|tool_call|tool_call_chunk|function_call|input_json_delta)$/;
const REASONING = /^(?:thinking|redacted_thinking|reasoning)$/;

function toParts({ content }: BaseMessage): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return (content as readonly Fields[]).flatMap((block) => (CALL.test(String(block.type)) ? [] : [toPart(block)]));
}

function toPart(block: Fields): Fields {
  const { type, text, thinking, reasoning, data } = block;
  if (typeof text === 'string') return { type: 'text', text };
  if (REASONING.test(String(type)))
    return { type: 'reasoning', text: String(thinking ?? reasoning ?? data ?? JSON.stringify(block)) };
  // The last is a block of a kind that only its provider knows.
  return fileIn(block) ?? { type: 'text', text: JSON.stringify(block) };
}

/** An image or a document in any of the forms that LangChain takes. */
function fileIn(block: Fields): Fields | undefined {
  const { type, image_url: image, source, data, mime_type, mimeType = mime_type } = block;
  if (typeof source === 'object' && source)
    return fileIn({ type, mime_type: (source as Fields).media_type, ...source });
  const mediaType = String(mimeType ?? (/^image/.test(String(type)) ? 'image/*' : 'application/octet-stream'));
  if (typeof data === 'string') return { type: 'file', mediaType, data };
  const url = image ? ((image as Fields).url ?? image) : block.url;
  if (typeof url !== 'string') return undefined;
  const [, inUrl = mediaType, bytes = url] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: 'file', mediaType: inUrl, data: bytes };
}

/** Parts of the AI SDK as LangChain has them: a text if there is nothing else, otherwise blocks. Pure. */
export function contentOf(parts: readonly Fields[]): string | { readonly type: 'text'; readonly text: string }[] {
  if (parts.every(({ type }) => type !== 'file')) return textIn(parts);
  const blocks = parts.map(({ type, text, mediaType, data }): Fields => {
    if (type !== 'file') return { type: 'text', text: String(text) };
    const url = /^https?:/.test(String(data)) ? String(data) : `data:${mediaType};base64,${data}`;
    if (String(mediaType).startsWith('image')) return { type: 'image_url', image_url: { url } };
    return { type: 'file', source_type: 'base64', mime_type: mediaType, data };
  });
  return blocks as { readonly type: 'text'; readonly text: string }[];
}
