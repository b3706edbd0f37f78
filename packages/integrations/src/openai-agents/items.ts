import type { WireMessage } from '@holdfast/sessions';
import type { AgentInputItem } from '@openai/agents';
import { withPlainBytes } from '../bridge/plain-bytes.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * An item of the SDK with the names of the Responses API. Its own id is left out: a session may store an item without it, and
 * that is no change of the history. Pure.
 */
export function toWire(item: AgentInputItem): WireMessage {
  const { id: _, type = 'message', callId, output, content, providerData, ...rest } = item as Fields;
  const { encrypted_content } = (providerData ?? {}) as Fields;
  return {
    ...rest,
    type: String(type).replace(/_result$/, '_output'),
    ...(callId === undefined ? {} : { call_id: callId }),
    ...(content === undefined ? {} : { content: Array.isArray(content) ? content.map(toPart) : content }),
    ...(output === undefined ? {} : { output: outputOf(output) }),
    ...(type === 'reasoning' && encrypted_content ? { encrypted_content } : {}),
  };
}

/** The item that a note or a shortened copy becomes. Pure. */
export function fromWire({ call_id, type = 'message', content, output, ...rest }: WireMessage): AgentInputItem {
  const own = {
    ...rest,
    type:
      type === 'function_call_output' || type === 'computer_call_output'
        ? String(type).replace(/_output$/, '_result')
        : type,
    ...(call_id === undefined ? {} : { callId: call_id }),
    ...(output === undefined ? {} : { output: Array.isArray(output) ? output.map(fromPart) : output }),
  };
  if (content === undefined) return own as AgentInputItem;
  if (rest.role !== 'assistant')
    return { ...own, content: Array.isArray(content) ? content.map(fromPart) : content } as AgentInputItem;
  const said = typeof content === 'string' ? [{ type: 'output_text', text: content }] : content;
  return { status: 'completed', ...own, content: said } as AgentInputItem;
}

/** A single text is what tools usually return. */
function outputOf(output: unknown): unknown {
  if (typeof output !== 'object' || output === null) return output;
  if (Array.isArray(output)) return output.map(toPart);
  const { type, text } = output as Fields;
  if (type === 'text') return text;
  // Screenshots and outputs of shells have their own forms, which are those of the API.
  return type === 'image' || type === 'file' ? [toPart(output)] : output;
}

/** A part of a content, with the media where the API has them. */
function toPart(part: unknown): unknown {
  const { type, text, image, file, audio, ...rest } = part as Fields;
  if (type === 'text' || type === 'input_text') return { ...rest, type: 'input_text', text };
  if (image !== undefined) return { ...rest, type: 'input_image', image_url: urlOf(image) };
  if (file !== undefined) return { ...rest, type: 'input_file', file_data: urlOf(file) };
  return withPlainBytes(part);
}

function fromPart(part: unknown): unknown {
  const { image_url, file_data, ...rest } = part as Fields;
  if (image_url !== undefined) return { ...rest, image: image_url };
  return file_data === undefined ? part : { ...rest, file: file_data };
}

/** A URL, an id or bytes. */
function urlOf(media: unknown): unknown {
  if (typeof media !== 'object' || media === null) return media;
  const { url, id, fileId, data, mediaType = 'application/octet-stream' } = media as Fields;
  const known = url ?? id ?? fileId;
  return known ?? `data:${mediaType};base64,${withPlainBytes(data)}`;
}
