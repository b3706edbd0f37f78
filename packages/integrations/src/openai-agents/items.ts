import type { WireMessage } from '@holdfast/sessions';
import type { AgentInputItem } from '@openai/agents';
import type { Wires } from '../bridge/form.ts';
import { type Fields, fileUrl, setFields, textIn } from '../bridge/parts.ts';
import { withPlainBytes } from '../bridge/plain-bytes.ts';

/**
 * An item of the SDK with the names of the Responses API. Its own id is left out: a session may store an item without it, and
 * that is not a change of the history. Pure.
 */
export function toWire(item: AgentInputItem): WireMessage {
  const { id: _, type = 'message', callId, output, content, providerData, ...rest } = item as Fields;
  const { encrypted_content } = (type === 'reasoning' && (providerData as Fields)) || {};
  return setFields({
    ...rest,
    type: String(type).replace(/_result$/, '_output'),
    call_id: callId,
    content: eachPart(content, toPart),
    output: outputOf(output),
    encrypted_content,
  });
}

/** The item that a note or a shortened copy becomes. Pure. */
export function fromWire([wire]: Wires): AgentInputItem {
  const { call_id, type = 'message', content, output, ...rest } = wire;
  const isAnswer = rest.role === 'assistant';
  const said = isAnswer && typeof content === 'string' ? [{ type: 'output_text', text: content }] : content;
  return setFields({
    status: isAnswer ? 'completed' : undefined,
    ...rest,
    type: String(type).replace(/^(function|computer)_call_output$/, '$1_call_result'),
    callId: call_id,
    content: eachPart(said, fromPart),
    output: eachPart(output, fromPart),
  }) as AgentInputItem;
}

function eachPart(content: unknown, change: (part: Fields) => unknown): unknown {
  return Array.isArray(content) ? content.map(change) : content;
}

/** A single text is what tools usually return. Screenshots have their own form, which is that of the API. */
function outputOf(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return eachPart(output, toPart);
  const { type, text } = output as Fields;
  if (type === 'text') return text;
  return type === 'image' || type === 'file' ? [toPart(output as Fields)] : output;
}

/** A part of a content, with the media where the API has them. */
function toPart(part: Fields): unknown {
  const { type, text, image, file, audio, outcome, ...rest } = part;
  if (type === 'text' || type === 'input_text') return { ...rest, type: 'input_text', text };
  if (image !== undefined) return { ...rest, type: 'input_image', ...placeOf(image, 'image_url', 'image_url') };
  if (file !== undefined) return { ...rest, type: 'input_file', ...placeOf(file, 'file_data', 'file_url') };
  if (outcome) return { ...part, outcome: { ...outcome, exit_code: (outcome as Fields).exitCode } };
  return withPlainBytes(part);
}

function fromPart(part: Fields): unknown {
  const { type, image_url, file_data, file_url, file_id, ...rest } = part;
  const media = image_url ?? file_data ?? (file_url === undefined ? { id: file_id } : { url: file_url });
  if (type === 'input_image') return { type, ...rest, image: media };
  return type === 'input_file' ? { type, ...rest, file: media } : part;
}

/** Bytes, or where they are: at a URL, or uploaded. */
function placeOf(media: unknown, inline: string, linked: string): Fields {
  if (typeof media !== 'object' || media === null) return { [inline]: media };
  const { url, id, fileId = id, data, mediaType = 'application/octet-stream' } = media as Fields;
  if (url !== undefined) return { [linked]: url };
  return fileId === undefined ? { [inline]: `data:${mediaType};base64,${withPlainBytes(data)}` } : { file_id: fileId };
}

/** What was recalled, as the output of a tool. Pure. */
export function recalledOutput(parts: readonly Fields[]): unknown {
  if (parts.length === 1) return textIn(parts);
  return parts.map((part) => (part.type === 'text' ? part : { type: 'image', image: fileUrl(part) }));
}
