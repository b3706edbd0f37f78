import { isSealed } from '../content/sealed.ts';
import type { Limits, MediaSizes, Reading } from '../dialect.ts';
import { DEPTH, tooDeep } from '../json/depth.ts';
import { isRecord } from '../json/record.ts';
import { jsonChars } from './json-chars.ts';
import { type Media, sealedTokens } from './media.ts';
import { withMedia } from './media-limits.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a dialect reads of a message besides its weight; most messages have no more than the first four. */
type Read = Pick<Reading, 'role' | 'calls' | 'results' | 'words'> & Partial<Reading>;

/** What a record is to a dialect: media, the text that it is sent as, or undefined. */
export type MediaOf = (record: Fields) => Media | string | undefined;

/**
 * Fields that cost nothing: types and ids, which the tokens per message cover; cache markers; and citations, which Anthropic
 * does not count. The AI SDK's dialect counts its options itself.
 */
const FREE: ReadonlySet<string> = new Set([
  ...['type', 'role', 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'toolCallId', 'approvalId', 'itemId'],
  ...['status', 'caller', 'is_error', 'providerExecuted'],
  ...['cache_control', 'prompt_cache_breakpoint', 'cacheControl', 'cachePoint', 'promptCacheBreakpoint', 'citations'],
  ...['providerOptions', 'providerMetadata'],
]);
/** Fields that contain media or describe their form. */
const IN_MEDIA: ReadonlySet<string> = new Set([
  ...['source', 'image', 'image_url', 'file', 'file_data', 'file_id', 'file_url', 'input_audio', 'data', 'url'],
  ...['result', 'inlineData', 'fileData', 'encrypted_content', 'detail', 'mediaType', 'transformations'],
]);
const WORDS: ReadonlySet<string> = new Set(['text', 'thinking']);
const NONE: ReadonlySet<string> = new Set();

/**
 * Adds up the blocks of a message: text by its characters; media and encrypted data by formula, however deep; all other
 * fields that are sent and not free. Base64 is never counted by its length.
 */
export class Weight {
  chars = 0;
  media = 0;
  readonly #limits: Limits;
  readonly #mediaOf: MediaOf;
  #mediaSizes: MediaSizes | undefined;

  constructor(limits: Limits, mediaOf: MediaOf) {
    this.#limits = limits;
    this.#mediaOf = mediaOf;
  }

  /** Adds a block: media or words with the other fields, or else all fields. Throws RangeError if it is circular. */
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

  /** Adds the fields of a message or a block that are not counted yet. Throws RangeError if it is circular. */
  rest(owner: object, counted: ReadonlySet<string>, depth = 0): void {
    const record = owner as Fields;
    for (const key in record) {
      // The most common first: looking up every name in a set would take longer than the rest of reading a message.
      if (key === 'role' || key === 'type' || key === 'id' || key === 'tool_call_id') continue;
      if (counted.has(key) || FREE.has(key)) continue;
      const value = record[key];
      if (!isEmpty(value)) this.#field(record, key, value, depth);
    }
  }

  addMedia(media: Media): void {
    this.media += media.tokens;
    this.#mediaSizes = withMedia(this.#mediaSizes, media, this.#limits);
  }

  /** Adds the content of a message or a result: a text, or a list of blocks. */
  addContent(content: unknown): void {
    if (typeof content === 'string') this.chars += content.length;
    else if (Array.isArray(content)) for (const block of content) this.add(block);
  }

  /** Adds a call: its arguments as JSON, or as the text that they are. */
  addCall(name: string, input: unknown): void {
    this.chars += name.length + (typeof input === 'string' ? input.length : jsonChars(input));
  }

  /** What was read of the message, with its weight. */
  reading(read: Read): Reading {
    const { role, calls, results, words, thinking = false, markers = 0, joined = false, firm = false } = read;
    const { chars, media } = this;
    const reading = { role, chars, media, calls, results, words, thinking, markers, joined, firm };
    return this.#mediaSizes ? { ...reading, mediaSizes: this.#mediaSizes } : reading;
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
    // The signature of the words next to it hides nothing else.
    if (key === 'signature' && (record.text || record.thinking)) return;
    this.chars += key.length + 4;
    this.#walk(value, key, depth + 1);
  }
}

/** True for the values that clients use for "nothing". */
function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null)
    return value === undefined || value === null || value === '' || value === false;
  for (const _ in value) return false;
  return true;
}
