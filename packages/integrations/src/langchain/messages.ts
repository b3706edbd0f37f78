import type { WireMessage } from '@holdfast/sessions';
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage, ToolMessage } from 'langchain';
import type { Wires } from '../bridge/form.ts';
import { type Fields, fileUrl, outputParts, partsOf, resultPart, textIn, withEnds } from '../bridge/parts.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';

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
    const call = { toolCallId: String(message.tool_call_id), toolName: message.name ?? '' };
    return { role: 'tool', content: [resultPart(call, toParts(message), message.status === 'error')] };
  }
  if (SystemMessage.isInstance(message)) return { role: 'system', content: message.text };
  return { role: 'user', content: toParts(message) };
}

/** The message that a note or a shortened copy becomes. Thinking is dropped: it is not valid in a copy. Pure. */
export function fromWire([wire]: Wires): BaseMessage {
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
    content: contentOf(parts.filter(({ type }) => type === 'text' || type === 'file')) as string,
    tool_calls: calls.map(({ toolCallId, toolName, input }) => {
      const args = typeof input === 'object' ? (input as Fields) : { input };
      return { type: 'tool_call' as const, id: String(toolCallId), name: String(toolName), args };
    }),
  });
}

/** Calls are in `tool_calls`, too, and come from there. */
const CALL = /^(?:tool_use|tool_call|tool_call_chunk|function_call|input_json_delta)$/;
const REASONING = /^(?:thinking|redacted_thinking|reasoning)$/;
/** A block of a kind that only its provider knows, as JSON. */
const OWN = 'application/vnd.langchain.block+json';
/** The fields of a plain file. A block with others, such as a title, is kept for copies, with DATA in place of its data. */
const PLAIN = /^(?:\d+|source|source_type|mime_type|mimeType|data|url|image_url|input_audio)$/;
const DATA = '{data}';

function toParts({ content }: BaseMessage): Fields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return (content as readonly Fields[]).flatMap((block) => (CALL.test(String(block.type)) ? [] : [toPart(block)]));
}

function toPart(block: Fields): Fields {
  const { type, text, thinking, reasoning, cache_control: _, ...more } = block;
  if (REASONING.test(String(type)))
    return { type: 'reasoning', text: String(thinking ?? reasoning ?? more.data ?? JSON.stringify(block)) };
  const own = (fields: Fields) => (Object.keys(fields).length > 0 ? { providerOptions: { langchain: fields } } : {});
  if (typeof text === 'string') return { type: 'text', text, ...own(type === 'text' ? more : { type, ...more }) };
  const file = fileIn(block);
  if (!file?.data) return { type: 'file', mediaType: OWN, data: { type: 'text', text: JSON.stringify(block) } };
  const isPlain = Object.keys(Object.assign({}, more, more.image_url)).every((key) => PLAIN.test(key));
  return isPlain ? file : { ...file, ...own(withEnds({ type, ...more }, String(file.data), DATA)) };
}

/** An image, a document or a sound in any of the forms that LangChain takes. */
function fileIn(block: Fields): Fields | undefined {
  const { type, image_url: image, input_audio: audio, source, mime_type, mimeType = mime_type } = block;
  const { type: kind, media_type: stated = type === 'document' ? 'application/pdf' : undefined } = (source ??
    {}) as Fields;
  if (kind) return kind === 'text' ? undefined : fileIn({ ...(source as Fields), type, mime_type: stated });
  if (audio) return fileIn({ ...audio, mimeType: `audio/${(audio as Fields).format}` });
  const mediaType = String(mimeType ?? (/^image/.test(String(type)) ? 'image/*' : 'application/octet-stream'));
  const data = withPlainBytes(block.data);
  if (typeof data === 'string') return { type: 'file', mediaType, data };
  const url = image ? ((image as Fields).url ?? image) : block.url;
  if (typeof url !== 'string') return undefined;
  const [, inUrl = mediaType, bytes = url] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: 'file', mediaType: inUrl, data: bytes };
}

/** Parts of the AI SDK as LangChain has them: a text if there is nothing else, otherwise blocks. Pure. */
export function contentOf(parts: readonly Fields[]): string | { readonly type: 'text'; readonly text: string }[] {
  if (parts.every(({ type, providerOptions }) => type === 'text' && !providerOptions)) return textIn(parts);
  const blocks = parts.map(({ type, text, mediaType, data, providerOptions }): Fields => {
    const own = (providerOptions as Fields)?.langchain as Fields | undefined;
    if (type !== 'file') return { type: 'text', text, ...own };
    if (mediaType === OWN) return JSON.parse(String((data as Fields).text));
    if (own) return withEnds(own, DATA, String(data));
    const url = fileUrl({ mediaType, data });
    if (String(mediaType).startsWith('image')) return { type: 'image_url', image_url: { url } };
    const place = url === data ? { source_type: 'url', url } : { source_type: 'base64', data };
    return { type: String(mediaType).startsWith('audio') ? 'audio' : 'file', mime_type: mediaType, ...place };
  });
  return blocks as { readonly type: 'text'; readonly text: string }[];
}
