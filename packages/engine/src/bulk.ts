import type { Bulk, Limits } from './dialect.ts';
import { imageSize } from './media.ts';
import type { Load } from './tokens.ts';

/** Adds up what the blocks of a message carry beside text. */
export class BulkCount {
  #bulk: Bulk | undefined;
  readonly #side: number;

  constructor({ many_side = Number.POSITIVE_INFINITY }: Limits) {
    this.#side = many_side;
  }

  /** An image, as base64 or by an address. */
  image(data: unknown): void {
    const { width, height } = imageSize(data) ?? { width: 0, height: 0 };
    this.#add(1, Math.max(width, height), data);
  }

  /** A document or sound. */
  other(data: unknown): void {
    this.#add(0, 0, data);
  }

  #add(images: number, side: number, data: unknown): void {
    const bytes = typeof data === 'string' && !/^https?:/.test(data) ? data.length : 0;
    const before = this.#bulk ?? { images: 0, wide: 0, bytes: 0, side: 0, largest: 0 };
    this.#bulk = {
      images: before.images + images,
      wide: before.wide + (side > this.#side ? 1 : 0),
      bytes: before.bytes + bytes,
      side: Math.max(before.side, side),
      largest: Math.max(before.largest, images * bytes),
    };
  }

  /** For a reading: nothing if nothing was counted. */
  counted(): { readonly bulk?: Bulk } {
    return this.#bulk ? { bulk: this.#bulk } : {};
  }
}

/** The most bytes that a request with this load can have: three for each character, and some around each message. */
function requestBytes({ chars, bytes, messages }: Load): number {
  return 3 * chars + bytes + 100 * messages;
}

/** What of this share of a provider's limits this load is over, in words; empty if nothing. */
export function overLimits(load: Load, limits: Limits, share = 1): string {
  const { images = Number.POSITIVE_INFINITY, many_images = images } = limits;
  const bytes = (limits.bytes ?? Number.POSITIVE_INFINITY) * share;
  const most = (load.wide > 0 ? Math.min(images, many_images) : images) * share;
  if (load.images > most)
    return `${load.images} images > ${most}${most < images ? ` with a side above ${limits.many_side} px` : ''}`;
  return requestBytes(load) > bytes ? `up to ${requestBytes(load)} bytes > ${bytes}` : '';
}

/** What is wrong with the images of one message, in words; empty if nothing. */
export function badImage({ side, largest }: Bulk, { image_side, image_bytes }: Limits): string {
  if (image_side !== undefined && side > image_side) return `${side} px > ${image_side} px`;
  return image_bytes !== undefined && largest > image_bytes ? `${largest} bytes > ${image_bytes} bytes` : '';
}
