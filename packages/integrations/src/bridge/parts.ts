import type { WireMessage } from '@holdfast/sessions';
import { withPlainBytes } from './plain-bytes.ts';

/** The fields of a part of a message. */
export type Fields = Readonly<Record<string, unknown>>;

/** The options of a part that is the framework's own summary: no fold touches it, because it speaks for what is gone. */
export const SUMMARY: Fields = { providerOptions: { holdfast: { type: 'compaction' } } };

/** The parts of a message: a text is one part. Pure. */
export function partsOf(wire: WireMessage | undefined): readonly Fields[] {
  const content = wire?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly Fields[]);
}

/** A result of the AI SDK with these parts as its output: a text if they are nothing else. Pure. */
export function resultPart(call: Fields, parts: readonly Fields[], isError = false): Fields {
  const isText = parts.every(({ type }) => type === 'text');
  const output = isText
    ? { type: isError ? 'error-text' : 'text', value: textIn(parts) }
    : { type: 'content', value: parts.map((part) => (isBase64(part) ? { ...part, type: 'file-data' } : part)) };
  return { type: 'tool-result', ...call, output };
}

function isBase64({ type, data }: Fields): boolean {
  return type === 'file' && typeof data === 'string';
}

/** The parts of a result's output. Pure. */
export function outputParts({ output }: Fields = {}): Fields[] {
  const { value = '' } = (output ?? {}) as Fields;
  if (!Array.isArray(value)) return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }];
  return value.map((part: Fields) => (part.type === 'file-data' ? { ...part, type: 'file' } : part));
}

/** A file as a URL that contains it; one that is a URL already stays. Pure. */
export function fileUrl({ mediaType, data }: Fields): string {
  return /^(?:https?|data):/.test(String(data)) ? String(data) : `data:${mediaType};base64,${data}`;
}

/** The fields that are set. Pure. */
export function setFields(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The texts among parts, joined by line breaks. Pure. */
export function textIn(parts: readonly Fields[]): string {
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

/** A copy in which each text that ends with `from` ends with `to` instead; bytes become base64. Pure. */
export function withEnds(value: Fields, from: string, to: string): Fields {
  return JSON.parse(JSON.stringify(withPlainBytes(value)), (_, item) =>
    typeof item === 'string' && item.endsWith(from) ? item.slice(0, -from.length) + to : item,
  );
}
