import { isRecord, jsonForm } from '../../content.ts';
import { fileTokens } from '../../size/media.ts';
import type { Media } from '../../size/weight.ts';

/** A file or an image by formula, or the text that it is sent as; undefined for any other part. */
export function mediaOf(part: Readonly<Record<string, unknown>>): Media | string | undefined {
  const type = String(part.type);
  if (!/^(?:reasoning-)?(?:image|file)/.test(type)) return undefined;
  const data = dataOf(part.image ?? part.data);
  if (isRecord(data) && typeof data.text === 'string') return data.text;
  const media = String(part.mediaType ?? type);
  const image = type.startsWith('image') || media.startsWith('image');
  return { tokens: fileTokens(media, isRecord(data) ? undefined : data), data, image };
}

/** Base64, a `data:` URL or the text record of a file; undefined where it lies elsewhere. */
function dataOf(data: unknown): unknown {
  const form = jsonForm(data);
  if (typeof form === 'string') return /^https?:/i.test(form) ? undefined : form;
  if (!isRecord(form) || form.type === 'text') return form;
  return typeof form.type === 'string' ? dataOf(form.data ?? form.url) : undefined;
}
