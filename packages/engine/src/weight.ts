import { withBulk } from './bulk.ts';
import { isRecord, isSealed, jsonChars } from './content.ts';
import type { Bulk, Limits, Reading } from './dialect.ts';
import { sealedTokens } from './media.ts';

/** An image, a document or sound: its tokens by formula, and its base64 where that is at hand. */
export interface Media {
  readonly tokens: number;
  readonly data: unknown;
  readonly image?: boolean;
}

/** What a dialect knows of a record: media, the text that it is sent as, or nothing. */
export type MediaOf = (record: Readonly<Record<string, unknown>>) => Media | string | undefined;

/**
 * Adds up what the blocks of a message weigh: text by its characters; media, and what is sealed, by formula, however deep
 * it lies. Base64 is never counted by its length.
 */
export class Weight {
  chars = 0;
  media = 0;
  readonly #limits: Limits;
  readonly #mediaOf: MediaOf;
  #bulk: Bulk | undefined;

  constructor(limits: Limits, mediaOf: MediaOf) {
    this.#limits = limits;
    this.#mediaOf = mediaOf;
  }

  /** A block: media, or else its words, or else all that is in it. */
  add(block: unknown): void {
    if (typeof block === 'string') this.chars += block.length;
    else if (!isRecord(block)) this.#walk(block, '');
    else if (!this.#isMedia(block)) {
      const words = block.text ?? block.thinking;
      if (typeof words === 'string') this.chars += words.length;
      else this.#fields(block);
    }
  }

  addMedia({ tokens, data, image = false }: Media): void {
    this.media += tokens;
    this.#bulk = withBulk(this.#bulk, image, data, this.#limits);
  }

  /** The reading with what was counted beside text, if there was any: most have none, and are made as they are. */
  weighed(reading: Reading): Reading {
    return this.#bulk ? { ...reading, bulk: this.#bulk } : reading;
  }

  #isMedia(record: Readonly<Record<string, unknown>>): boolean {
    const known = this.#mediaOf(record);
    if (typeof known === 'string') this.chars += known.length;
    else if (known) this.addMedia(known);
    return known !== undefined;
  }

  #walk(value: unknown, key: string): void {
    if (isSealed(key, value))
      this.addMedia({ tokens: sealedTokens(value), data: value, image: value.startsWith('data:image') });
    else if (isRecord(value)) {
      if (!this.#isMedia(value)) this.#fields(value);
    } else if (Array.isArray(value)) {
      this.chars += 2 + value.length;
      for (const item of value) this.#walk(item, key);
    } else this.chars += jsonChars(value);
  }

  #fields(record: Readonly<Record<string, unknown>>): void {
    this.chars += 2;
    for (const key in record) {
      this.chars += key.length + 4;
      this.#walk(record[key], key);
    }
  }
}
