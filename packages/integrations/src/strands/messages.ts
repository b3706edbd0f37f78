import type { WireMessage } from '@holdfast/sessions';
import { Message, type MessageData } from '@strands-agents/sdk';
import { withPlainBytes } from '../bridge/plain-bytes.ts';

type Fields = Readonly<Record<string, unknown>>;
type Block = Message['content'][number];
type BlockData = MessageData['content'][number];

/** A Strands message as one of Anthropic's Messages API, whose turns and rules it shares. Pure. */
export function toWire({ role, content }: Message): WireMessage {
  return { role, content: content.flatMap(toBlocks) };
}

/** The message that a note or a shortened copy becomes. Pure. */
export function fromWire({ role, content }: WireMessage): Message {
  const blocks = (typeof content === 'string' ? [{ type: 'text', text: content }] : content) as readonly Fields[];
  return Message.fromMessageData({ role: role as 'user' | 'assistant', content: blocks.flatMap(fromBlock) });
}

function toBlocks(block: Block | { readonly type: 'jsonBlock'; readonly json: unknown }): Fields[] {
  switch (block.type) {
    case 'textBlock':
      return [{ type: 'text', text: block.text }];
    case 'jsonBlock':
      return [{ type: 'text', text: JSON.stringify(block.json) }];
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
      return [{ type: 'text', text: JSON.stringify(block) }];
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
  switch (type) {
    case 'text':
      return [{ text: String(text) }];
    case 'tool_use':
      return [{ toolUse: { toolUseId: String(id), name: String(name), input: input as never } }];
    case 'tool_result':
      return [{ toolResult: fromResult(block) }];
    case 'thinking':
      return [{ reasoning: { text: String(thinking), signature: String(signature) } }];
    case 'redacted_thinking':
      return [{ reasoning: { redactedContent: Buffer.from(String(data), 'base64') } }];
    case 'image':
      return [{ image: imageFrom(block.source as Fields) }];
    default:
      return [];
  }
}

function fromResult({ tool_use_id, content, is_error }: Fields) {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Fields[]);
  return {
    toolUseId: String(tool_use_id),
    status: is_error ? ('error' as const) : ('success' as const),
    content: parts.map((part) =>
      part.type === 'image' ? { image: imageFrom(part.source as Fields) } : { text: String(part.text) },
    ),
  };
}

function imageFrom({ media_type, data, url }: Fields) {
  const format = String(media_type ?? 'image/png').slice('image/'.length) as 'png';
  if (url !== undefined) return { format, source: { url: String(url) } };
  return { format, source: { bytes: new Uint8Array(Buffer.from(String(data), 'base64')) } };
}
