import type { RecalledMessages } from './recall-handle.ts';

/** A picture in what was recalled. */
export interface RecalledImage {
  readonly mediaType: string;
  /** In base64. */
  readonly data: string;
}

/** The pictures in what was recalled, in any wire format and in order; those of which only an address is known are left out. Pure. */
export function recalledImages({ messages, content }: RecalledMessages): RecalledImage[] {
  return imagesIn(content ?? messages.map(({ message }) => message));
}

type Fields = Readonly<Record<string, unknown>>;

/** The pictures in a message or a part of it, in any wire format and in order. Pure. */
export function imagesIn(value: unknown): RecalledImage[] {
  const [, inUrl, inside] = (typeof value === 'string' && DATA_URL.exec(value)) || [];
  if (inUrl !== undefined && inside !== undefined) return [{ mediaType: inUrl, data: inside }];
  if (typeof value !== 'object' || value === null) return [];
  const { data: held, media_type, mediaType = media_type, mimeType = mediaType } = value as Fields;
  const data = (held as Fields | undefined)?.data ?? held;
  const isImage = typeof mimeType === 'string' && mimeType.startsWith('image/') && typeof data === 'string';
  if (isImage && BASE64.test(data)) return [{ mediaType: mimeType, data }];
  return Object.values(value).flatMap(imagesIn);
}

const DATA_URL = /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=]+)$/;
const BASE64 = /^[A-Za-z0-9+/=]+$/;
