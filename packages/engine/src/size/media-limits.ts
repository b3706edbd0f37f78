import type { Limits, MediaSizes } from '../dialect.ts';
import { imageSize, type Media } from './media.ts';
import type { Load } from './tokens.ts';

/** The count with one more image, document or sound, passed as base64 or as a URL. Pure. */
export function withMedia(before: MediaSizes | undefined, media: Media, limits: Limits): MediaSizes {
  const { image: isImage = false, data, pages = 0 } = media;
  const { images = 0, pages: sofar = 0, wide = 0, bytes = 0, side = 0, largest = 0 } = before ?? {};
  const length = typeof data === 'string' && !/^https?:/.test(data) ? data.length : 0;
  const { width = 0, height = 0 } = (isImage && imageSize(data)) || {};
  const longest = Math.max(width, height);
  return {
    images: images + Number(isImage),
    pages: sofar + pages,
    wide: wide + Number(longest > (limits.many_side ?? Number.POSITIVE_INFINITY)),
    bytes: bytes + length,
    side: Math.max(side, longest),
    // Four characters of base64 are three bytes.
    largest: Math.max(largest, isImage ? Math.floor(length * 0.75) : 0),
  };
}

/** The most bytes that a request with this load can have: three per character, and some around each message. */
function requestBytes({ chars, bytes, messages }: Load): number {
  return 3 * chars + bytes + 100 * messages;
}

/** The limit that this load exceeds, in words; empty if none. `share`: of each limit. */
export function overLimits(load: Load, limits: Limits, share = 1): string {
  const { images = Number.POSITIVE_INFINITY, many_images = images } = limits;
  const bytes = (limits.bytes ?? Number.POSITIVE_INFINITY) * share;
  const many = many_images * share;
  if (load.wide > 0 && load.images > many)
    return `${load.images} images > ${many} with a side above ${limits.many_side} px`;
  const { pages = 0 } = load;
  if (load.images + pages > images * share)
    return `${load.images} images${pages > 0 ? ` and ${pages} pages of documents` : ''} > ${images * share}`;
  return requestBytes(load) > bytes ? `up to ${requestBytes(load)} bytes > ${bytes}` : '';
}

/** What this load leaves of a provider's limits; the same object if it has no images, documents or sound. */
export function limitsLeft(limits: Limits, load: Load): Limits {
  const { images, pages = 0 } = load;
  if (images + pages === 0 && load.bytes === 0) return limits;
  const less = (key: 'bytes' | 'images' | 'many_images', by: number) =>
    limits[key] === undefined ? {} : { [key]: Math.max(0, limits[key] - by) };
  return {
    ...limits,
    ...less('bytes', requestBytes(load)),
    ...less('images', images + pages),
    ...less('many_images', images),
  };
}

/** What is wrong with the images of one message, in words; empty if nothing. */
export function badImage({ side, largest }: MediaSizes, { image_side, image_bytes }: Limits): string {
  if (image_side !== undefined && side > image_side) return `${side} px > ${image_side} px`;
  return image_bytes !== undefined && largest > image_bytes ? `${largest} bytes > ${image_bytes} bytes` : '';
}
