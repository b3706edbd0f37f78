import type { WireMessage } from '@holdfast/sessions';
import { Message } from '@strands-agents/sdk';
import type { Wires } from '../bridge/form.ts';
import { type Fields, partsOf } from '../bridge/parts.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';

type Block = Message['content'][number];
type Json = Parameters<typeof Message.fromJSON>[0];

/** A block that the Messages API does not have, as Strands writes it. */
const OWN = 'strands';

/** A Strands message as one of Anthropic's Messages API, whose turns and rules it shares. Pure. */
export function toWire({ role, content }: Message): WireMessage {
  return { role, content: content.flatMap(toBlocks) };
}

/** The message that a note or a shortened copy becomes. Pure. */
export function fromWire([{ role, content }]: Wires): Message {
  return Message.fromJSON({ role, content: partsOf({ content }).map(fromBlock) } as unknown as Json);
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
      return [mediaOf(block, { type: 'image' }, `image/${block.format}`)];
    case 'documentBlock':
      return [mediaOf(block, { type: 'document', title: block.name }, `application/${block.format}`)];
    case 'cachePointBlock':
      return [];
    default:
      // Guarded content, citations, sound and films.
      return [{ type: OWN, block: block.toJSON() }];
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

function mediaOf(block: Extract<Block, { source: unknown }>, as: Fields, media_type: string): Fields {
  const { bytes, url } = block.source as Fields;
  if (bytes !== undefined) return { ...as, source: { type: 'base64', media_type, data: withPlainBytes(bytes) } };
  return url === undefined ? { type: OWN, block: block.toJSON() } : { ...as, source: { type: 'url', media_type, url } };
}

function fromBlock(block: Fields): Fields {
  const { type, text, id: toolUseId, name, input, thinking, signature, data } = block;
  if (type === OWN) return block.block as Fields;
  if (type === 'image' || type === 'document') return mediaFrom(block);
  if (type === 'tool_use') return { toolUse: { toolUseId, name, input } };
  if (type === 'tool_result') return { toolResult: resultFrom(block) };
  if (type === 'thinking') return { reasoning: { text: thinking, signature } };
  return type === 'redacted_thinking' ? { reasoning: { redactedContent: data } } : { text };
}

function resultFrom(block: Fields): Fields {
  const status = block.is_error ? 'error' : 'success';
  return { toolUseId: block.tool_use_id, status, content: partsOf(block).map(fromBlock) };
}

/** Strands reads base64 as bytes. */
function mediaFrom({ type, title: name, source }: Fields): Fields {
  const { media_type, data: bytes, url } = source as Fields;
  const format = String(media_type).split('/')[1];
  const from = url === undefined ? { bytes } : { url };
  return type === 'image' ? { image: { format, source: from } } : { document: { name, format, source: from } };
}

/** A part of what was recalled, in a form that tools may return. Pure. */
export function recalledBlock({ text, mediaType: media_type, data }: Fields): Fields {
  return data === undefined ? { text } : mediaFrom({ type: 'image', source: { media_type, data } });
}
