import type { WireMessage } from '@holdfast/sessions';
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from 'langchain';
import { type Fields, resultItem } from '../bridge/piece.ts';

type Content = ConstructorParameters<typeof HumanMessage>[0];

/** A LangChain message as one of the AI SDK, which has a place for all that it may contain. Pure. */
export function toWire(message: BaseMessage): WireMessage {
  const { content } = message;
  if (AIMessage.isInstance(message)) {
    const calls = (message.tool_calls ?? []).map(({ id, name, args }) => {
      return { type: 'tool-call', toolCallId: String(id), toolName: name, input: args };
    });
    return { role: 'assistant', content: [...partsOf(content), ...calls] };
  }
  if (ToolMessage.isInstance(message)) {
    const { tool_call_id: toolCallId, name: toolName = '', status } = message;
    const text = status === 'error' ? 'error-text' : 'text';
    const output =
      typeof content === 'string'
        ? { type: text, value: content }
        : { type: 'content', value: partsOf(content).map(resultItem) };
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] };
  }
  if (SystemMessage.isInstance(message)) return { role: 'system', content: message.text };
  return { role: 'user', content: partsOf(content) };
}

/** The message that a note or a shortened copy becomes. Thinking is dropped: it is not valid in a copy. Pure. */
export function fromWire({ role, content }: WireMessage): BaseMessage {
  const parts = (typeof content === 'string' ? [{ type: 'text', text: content }] : content) as readonly Fields[];
  if (role === 'system') return new SystemMessage(contentOf(parts) as string);
  if (role === 'tool') {
    const { toolCallId, toolName, output } = parts[0] ?? {};
    const { type, value } = output as { readonly type: string; readonly value: unknown };
    return new ToolMessage({
      tool_call_id: String(toolCallId),
      name: String(toolName),
      content: typeof value === 'string' ? value : (contentOf(value as readonly Fields[]) as string),
      ...(type.startsWith('error') ? { status: 'error' as const } : {}),
    });
  }
  if (role !== 'assistant') return new HumanMessage(contentOf(parts));
  const calls = parts.filter(({ type }) => type === 'tool-call');
  return new AIMessage({
    content: contentOf(parts.filter(({ type }) => type === 'text')) as string,
    tool_calls: calls.map(({ toolCallId, toolName, input }) => {
      return { type: 'tool_call' as const, id: String(toolCallId), name: String(toolName), args: input as Fields };
    }),
  });
}

/** Calls are in `tool_calls`, too, and come from there. */
const CALL = /^(?:tool_use|tool_call|tool_call_chunk|function_call|input_json_delta)$/;
const REASONING = /^(?:thinking|redacted_thinking|reasoning)$/;

function partsOf(content: BaseMessage['content']): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return (content as readonly Fields[]).flatMap((block) => (CALL.test(String(block.type)) ? [] : [partOf(block)]));
}

function partOf(block: Fields): Fields {
  const { type, text, thinking, reasoning, data } = block;
  if (typeof text === 'string') return { type: 'text', text };
  if (REASONING.test(String(type)))
    return { type: 'reasoning', text: String(thinking ?? reasoning ?? data ?? JSON.stringify(block)) };
  const media = mediaOf(block);
  // A block of a kind that only its provider knows.
  return media ?? { type: 'text', text: JSON.stringify(block) };
}

/** An image or a document in any of the forms that LangChain takes. */
function mediaOf(block: Fields): Fields | undefined {
  const { type, image_url: image, source, data, url, mime_type, mimeType } = block;
  if (image) return fileFrom(typeof image === 'string' ? image : String((image as Fields).url), 'image/*');
  if (typeof source === 'object' && source)
    return mediaOf({ type, mime_type: (source as Fields).media_type, ...source });
  const media = String(mime_type ?? mimeType ?? (type === 'image' ? 'image/*' : 'application/octet-stream'));
  if (typeof data === 'string') return { type: 'file', mediaType: media, data };
  return typeof url === 'string' ? fileFrom(url, media) : undefined;
}

function fileFrom(url: string, media: string): Fields {
  const [, mediaType = media, data = url] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: 'file', mediaType, data };
}

/** A text if there is nothing else, otherwise blocks. */
function contentOf(parts: readonly Fields[]): Content {
  const blocks = parts.flatMap((part): Fields[] => {
    const { type, text, mediaType, data } = part;
    if (type === 'text') return [{ type: 'text', text: String(text) }];
    if (type !== 'file' && type !== 'file-data') return [];
    const url = /^https?:/.test(String(data)) ? String(data) : `data:${mediaType};base64,${data}`;
    if (String(mediaType).startsWith('image')) return [{ type: 'image_url', image_url: { url } }];
    return [{ type: 'file', source_type: 'base64', mime_type: String(mediaType), data: String(data) }];
  });
  const isText = blocks.every(({ type }) => type === 'text');
  return isText ? blocks.map(({ text }) => text).join('\n') : (blocks as Content);
}
