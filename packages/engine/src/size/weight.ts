import { DEPTH, isRecord, isSealed, jsonChars, tooDeep } from '../content.ts';
import type { Bulk, Limits, Reading } from '../dialect.ts';
import { sealedTokens } from './media.ts';
import { withBulk } from './media-limits.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An image, a document or sound: its tokens by formula, and its base64 where that is at hand. */
export interface Media {
  readonly tokens: number;
  readonly data: unknown;
  readonly image?: boolean;
  /** Pages of a document, where it is known to have some. */
  readonly pages?: number;
}

/** What a dialect knows of a record: media, the text that it is sent as, or nothing. */
export type MediaOf = (record: Fields) => Media | string | undefined;

/**
 * Fields of a message or a block that cost nothing of their own: kinds and ids, which a message's own tokens stand for; cache
 * markers; and citations, which Anthropic documents as not counted. Options of the AI SDK are counted by its dialect.
 */
const FREE: ReadonlySet<string> = new Set([
  ...['type', 'role', 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'toolCallId', 'approvalId', 'itemId'],
  ...['status', 'caller', 'is_error', 'providerExecuted'],
  ...['cache_control', 'prompt_cache_breakpoint', 'cacheControl', 'cachePoint', 'promptCacheBreakpoint', 'citations'],
  ...['providerOptions', 'providerMetadata'],
]);
/** Fields in which media lie, and what is said of their form. */
const IN_MEDIA: ReadonlySet<string> = new Set([
  ...[
    'source',
    'image',
    'image_url',
    'file',
    'file_data',
    'file_id',
    'file_url',
    'input_audio',
    'data',
    'url',
    'result',
  ],
  ...['encrypted_content', 'detail', 'mediaType', 'transformations'],
]);
const WORDS: ReadonlySet<string> = new Set(['text', 'thinking']);
const NONE: ReadonlySet<string> = new Set();

/**
 * Adds up what the blocks of a message weigh: text by its characters; media, and what is sealed, by formula, however deep
 * it lies; every other field that is sent, unless it is known to be free. Base64 is never counted by its length.
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

  /** A block: media or words with all that stands beside them, or else all that is in it. Throws RangeError if it has no end. */
  add(block: unknown): void {
    if (typeof block === 'string') this.chars += block.length;
    else if (!isRecord(block)) this.#walk(block, '', 0);
    else if (this.#isMedia(block)) this.rest(block, IN_MEDIA);
    else {
      const words = block.text ?? block.thinking;
      if (typeof words === 'string') this.chars += words.length;
      this.rest(block, typeof words === 'string' ? WORDS : NONE);
    }
  }

  /** The fields of a message or a block beside those that were counted. Throws RangeError if it has no end. */
  rest(owner: object, counted: ReadonlySet<string>, depth = 0): void {
    const record = owner as Fields;
    for (const key in record) {
      // The commonest first: to look every name up in a set takes longer than all the rest of reading a message.
      if (key === 'role' || key === 'type' || key === 'id' || key === 'tool_call_id') continue;
      if (counted.has(key) || FREE.has(key)) continue;
      const value = record[key];
      if (!isEmpty(value)) this.#field(record, key, value, depth);
    }
  }

  addMedia({ tokens, data, image = false, pages = 0 }: Media): void {
    this.media += tokens;
    this.#bulk = withBulk(this.#bulk, image, data, this.#limits, pages);
  }

  /** The reading with what was counted beside text, if there was any: most have none, and are made as they are. */
  weighed(reading: Reading): Reading {
    return this.#bulk ? { ...reading, bulk: this.#bulk } : reading;
  }

  #isMedia(record: Fields): boolean {
    const known = this.#mediaOf(record);
    if (typeof known === 'string') this.chars += known.length;
    else if (known) this.addMedia(known);
    return known !== undefined;
  }

  #walk(value: unknown, key: string, depth: number): void {
    if (depth > DEPTH) throw tooDeep();
    if (isSealed(key, value))
      this.addMedia({ tokens: sealedTokens(value), data: value, image: value.startsWith('data:image') });
    else if (isRecord(value)) {
      if (this.#isMedia(value)) this.rest(value, IN_MEDIA, depth);
      else this.#fields(value, depth);
    } else if (Array.isArray(value)) {
      this.chars += 2 + value.length;
      for (const item of value) this.#walk(item, key, depth + 1);
    } else this.chars += jsonChars(value);
  }

  #fields(record: Fields, depth: number): void {
    this.chars += 2;
    for (const key in record) this.#field(record, key, record[key], depth);
  }

  #field(record: Fields, key: string, value: unknown, depth: number): void {
    // The signature of words that stand beside it seals nothing else.
    if (key === 'signature' && (record.text || record.thinking)) return;
    this.chars += key.length + 4;
    this.#walk(value, key, depth + 1);
  }
}

/** True for what a client fills in where it has nothing to say. */
function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return value === undefined || value === null || value === '' || value === false;
  for (const _ in value) return false;
  return true;
}
