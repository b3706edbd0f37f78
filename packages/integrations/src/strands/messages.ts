import type { WireMessage } from '@holdfast/sessions';
import { Message, type MessageData } from '@strands-agents/sdk';
import { type Fields, partsOf } from '../bridge/parts.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';

type Block = Message['content'][number];
type BlockData = MessageData['content'][number];

/** A Strands message as one of Anthropic's Messages API, whose turns and rules it shares. Pure. */
export function toWire({ role, content }: Message): WireMessage {
  return { role, content: content.flatMap(toBlocks) };
}

/** The message that a note or a shortened copy becomes. Pure. */
export function fromWire(wire: WireMessage): Message {
  const role = wire.role as 'user' | 'assistant';
  return Message.fromMessageData({ role, content: partsOf(wire).flatMap(fromBlock) });
}

function toBlocks(block: Block | { readonly type: 'jsonBlock'; readonly json: unknown }): Fields[] {
  switch (block.type) {
    case 'textBlock':
      return [{ type: 'text', text: block.text }];
    case 'toolUseBlock':
      return [{ type: 'tool_use', id: block.toolUseId, name: block.name, input: block.input }];
    case 'toolResultBlock':
      return [resultOf(block)];
    case 'reasoningBlock':
      if (block.redactedContent) return [{ type: 'redacted_thinking', data: withPlainBytes(block.redactedContent) }];
      return [{ type: 'thinking', thinking: block.text ?? '', signature: block.signature ?? '' }];
    case 'imageBlock':
      return [{ type: 'image', source: sourceOf(block.source, `image/${block.format}`) }];
    case 'documentBlock':
      return [{ type: 'document', title: block.name, source: sourceOf(block.source, `application/${block.format}`) }];
    case 'cachePointBlock':
      return [];
    default:
      // Guarded content, citations, sound and films: what they say is in their JSON form.
      return [{ type: 'text', text: JSON.stringify(block.type === 'jsonBlock' ? block.json : block) }];
  }
}

/** A single text, which is what tools usually return, as a plain string. */
function resultOf({ toolUseId, status, content }: Extract<Block, { type: 'toolResultBlock' }>): Fields {
  const blocks = content.flatMap((item) => toBlocks(item as Block));
  const [first] = blocks;
  return {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: blocks.length === 1 && first?.type === 'text' ? first.text : blocks,
    ...(status === 'error' ? { is_error: true } : {}),
  };
}

function sourceOf(source: object, media: string): Fields {
  const { bytes, url, text, content } = source as Fields;
  if (bytes !== undefined) return { type: 'base64', media_type: media, data: withPlainBytes(bytes) };
  if (url !== undefined) return { type: 'url', url };
  return { type: 'text', media_type: 'text/plain', data: String(text ?? JSON.stringify(content ?? source)) };
}

function fromBlock(block: Fields): BlockData[] {
  const { type, text, id, name, input, thinking, signature, data } = block;
  if (type === 'text') return [{ text: String(text) }];
  if (type === 'image') return [imageBlock(block.source)];
  if (type === 'tool_use') return [{ toolUse: { toolUseId: String(id), name: String(name), input: input as never } }];
  if (type === 'tool_result') return [{ toolResult: fromResult(block) }];
  if (type === 'thinking') return [{ reasoning: { text: String(thinking), signature: String(signature) } }];
  return type === 'redacted_thinking' ? [{ reasoning: { redactedContent: Buffer.from(String(data), 'base64') } }] : [];
}

function fromResult(result: Fields) {
  return {
    toolUseId: String(result.tool_use_id),
    status: result.is_error ? ('error' as const) : ('success' as const),
    content: partsOf(result).map(({ text, source }) => (source ? imageBlock(source) : { text: String(text) })),
  };
}

/** A part of what was recalled, in a form that tools may return. Pure. */
export function recalledBlock({ text, mediaType: media_type, data }: Fields) {
  return data === undefined ? { text: String(text) } : imageBlock({ media_type, data });
}

function imageBlock(from: unknown) {
  const { media_type = 'image/png', data, url } = from as Fields;
  const format = String(media_type).slice('image/'.length) as 'png';
  const source = url === undefined ? { bytes: Buffer.from(String(data), 'base64') } : { url: String(url) };
  return { image: { format, source } };
}
