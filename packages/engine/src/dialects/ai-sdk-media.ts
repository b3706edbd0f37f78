import type { BulkCount } from '../bulk.ts';
import { isRecord, jsonForm } from '../content.ts';
import { audioTokens, claudeImageTokens, imageSize, openaiImageTokens, pdfTokens } from '../media.ts';

/** Tokens of a file or an image by formula, or the text that it is sent as; undefined for any other part. */
export function fileLoad(part: Readonly<Record<string, unknown>>): number | string | undefined {
  const type = String(part.type);
  if (!/^(?:reasoning-)?(?:image|file)/.test(type)) return undefined;
  const data = dataOf(part.image ?? part.data);
  if (isRecord(data)) return typeof data.text === 'string' ? data.text : fileTokens(type, part.mediaType, undefined);
  return fileTokens(type, part.mediaType, data);
}

/** Counts what a file or an image weighs in a request. */
export function countFile(bulk: BulkCount, part: Readonly<Record<string, unknown>>): void {
  const data = dataOf(part.image ?? part.data);
  bulk[isImage(String(part.type), part.mediaType) ? 'image' : 'other'](data);
}

function isImage(type: string, mediaType: unknown): boolean {
  return type.startsWith('image') || String(mediaType).startsWith('image');
}

/** Base64, a `data:` URL or the text record of a file; undefined where it lies elsewhere. */
function dataOf(data: unknown): unknown {
  const form = jsonForm(data);
  if (typeof form === 'string') return /^https?:/i.test(form) ? undefined : form;
  if (!isRecord(form) || form.type === 'text') return form;
  return typeof form.type === 'string' ? dataOf(form.data ?? form.url) : undefined;
}

/** Which provider is behind the SDK is not known, so an image counts as the dearer one. */
function fileTokens(type: string, mediaType: unknown, data: unknown): number {
  const media = String(mediaType ?? type);
  if (media.startsWith('image')) {
    const size = imageSize(data);
    return Math.max(claudeImageTokens(size), openaiImageTokens(size));
  }
  if (media.startsWith('audio')) return audioTokens(data);
  // Base64 of text: three bytes in four characters, four characters a token.
  if (media.startsWith('text') && typeof data === 'string') return Math.ceil(data.length * 0.1875);
  return pdfTokens(data);
}
