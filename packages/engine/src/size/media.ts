import { BASE64 } from '../json/base64.ts';

/** Width and height of an image in pixels, according to its header. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** An image, a document or sound: its tokens by formula, and its base64 if that is at hand. */
export interface Media {
  readonly tokens: number;
  readonly data: unknown;
  readonly image?: boolean;
  /** Pages of a document, if known. */
  readonly pages?: number;
}

/** Base64 text read byte by byte, so that reading a header does not decode the whole picture. */
interface Bytes {
  /** Includes padding. */
  readonly length: number;
  /** NaN beyond the end; sums stay NaN, and `sized` rejects it. */
  at(offset: number): number;
  /** The three bytes from a multiple of three on, as one number. */
  three(from: number): number;
}

const SIXTETS = new Uint8Array(128);
for (const [i, character] of [...`${BASE64}-_`].entries()) SIXTETS[character.charCodeAt(0)] = i < 64 ? i : i - 2;

/**
 * The size in the header of a PNG, GIF, JPEG or WebP; undefined for anything else. Accepts plain or URL-safe base64, with or
 * without line breaks, also as a `data:` URL. Pure; decodes only the bytes it needs.
 */
export function imageSize(base64: unknown): ImageSize | undefined {
  if (typeof base64 !== 'string') return undefined;
  const bytes = bytesOf(base64);
  const start = textOf(bytes, 0, 16);
  if (start.startsWith('\x89PNG')) return sized(bigEndian(bytes, 16, 4), bigEndian(bytes, 20, 4));
  if (start.startsWith('GIF8')) return sized(littleEndian(bytes, 6, 2), littleEndian(bytes, 8, 2));
  if (start.startsWith('\xff\xd8')) return jpegSize(bytes);
  return start.startsWith('WEBP', 8) ? webpSize(bytes, start.slice(12, 16)) : undefined;
}

/** Longest side in pixels, and tokens, to which models since 4.7 scale images down; more than older ones allow (1568 both). */
const CLAUDE_SIDE = 2576;
const CLAUDE_TOKENS = 4784;

/** Tokens of an image on Claude: one per 28 px square after scaling. Unknown size: the maximum. Pure. */
export function claudeImageTokens(size: ImageSize | undefined): number {
  if (!size) return CLAUDE_TOKENS;
  const scale = Math.min(1, CLAUDE_SIDE / Math.max(size.width, size.height));
  // Scaling to the token limit keeps the proportions, so the result is slightly below it; the limit is never too low.
  return Math.min(CLAUDE_TOKENS, tiles(size, scale, 28));
}

/** Tokens of an image on OpenAI: 85, and 170 per 512 px tile after scaling; 85 for `low`. Unknown size: 1024 x 1024. Pure. */
export function openaiImageTokens(size: ImageSize = { width: 1024, height: 1024 }, detail?: unknown): number {
  if (detail === 'low') return 85;
  const { width, height } = size;
  return 85 + 170 * tiles(size, Math.min(1, 2048 / Math.max(width, height), 768 / Math.min(width, height)), 512);
}

/** The most tokens of one image on Gemini 3. */
const GEMINI_TOKENS = 1120;

/** Tokens of an image on Gemini: 258 per 768 px tile on older models; on newer ones a fixed number. Pure. */
export function geminiImageTokens(size: ImageSize = { width: 1, height: 1 }): number {
  return Math.max(GEMINI_TOKENS, 258 * tiles(size, 1, 768));
}

function tiles({ width, height }: ImageSize, scale: number, side: number): number {
  return Math.ceil((width * scale) / side) * Math.ceil((height * scale) / side);
}

/** The upper end of the documented 1,500 to 3,000 tokens of text on a page. */
const PAGE_TOKENS = 3000;
/** For files in which no page can be found. No measurement supports these two. */
const PAGE_BYTES = 50_000;
const UNSEEN_PAGES = 10;
/** No API accepts more, so a larger count is wrong. */
const MOST_PAGES = 600;
/** How much is read of both ends of a file: the page tree is usually at one of them. */
const END_BYTES = 600_000;

/** Tokens of a PDF: 3,000 per page; ten pages for one that is not at hand (a URL, a file id). Pure. */
export function pdfTokens(base64: unknown, stated = pdfPages(base64)): number {
  if (typeof base64 !== 'string') return UNSEEN_PAGES * PAGE_TOKENS;
  const pages = stated || Math.ceil((base64.length * 0.75) / PAGE_BYTES) || 1;
  return Math.min(pages, MOST_PAGES) * PAGE_TOKENS;
}

/** The number of pages that a PDF states; 0 if that is in compressed objects, or the file is not at hand. Pure. */
export function pdfPages(base64: unknown): number {
  if (typeof base64 !== 'string') return 0;
  const bytes = bytesOf(base64);
  const { length } = bytes;
  const tail = textOf(bytes, Math.max(END_BYTES, length - (length % 3) - END_BYTES), length);
  return statedPages(textOf(bytes, 0, END_BYTES) + tail);
}

function statedPages(text: string): number {
  const linearized = /\/Linearized\b[^>]{0,300}\/N\s+(\d+)/.exec(text.slice(0, 1_024));
  if (linearized) return Number(linearized[1]);
  let counted = 0;
  let objects = 0;
  for (const object of text.split('endobj')) {
    const type = /\/Type\s*\/Page(s?)\b/.exec(object);
    if (type?.[1]) counted = Math.max(counted, Number(/\/Count\s+(\d+)/.exec(object)?.[1] ?? 0));
    else if (type) objects++;
  }
  return counted || objects;
}

/** Tokens of sound: 10 per second of 8,000 bytes, as in MP3. No measurement supports it. Pure. */
export function audioTokens(base64: unknown): number {
  return typeof base64 === 'string' ? Math.ceil(((base64.length * 0.75) / 8000) * 10) : 0;
}

/** Tokens of encrypted content, such as reasoning: about 650 bytes of overhead, then 4 bytes per token, as in OpenAI's CLI. Pure. */
export function cipherTokens(base64: unknown): number {
  return typeof base64 === 'string' ? Math.max(0, Math.ceil((base64.length * 0.75 - 650) / 4)) : 0;
}

/** Tokens of a file by its media type. The model is unknown, so an image counts as on the more expensive one. Pure. */
export function fileTokens(media: string, data: unknown): number {
  if (media.startsWith('image')) {
    const size = imageSize(data);
    return Math.max(claudeImageTokens(size), openaiImageTokens(size));
  }
  if (media.startsWith('audio')) return audioTokens(data);
  // Base64 of text: three bytes in four characters, four characters per token.
  if (media.startsWith('text') && typeof data === 'string') return Math.ceil(data.length * 0.1875);
  return pdfTokens(data);
}

/** Tokens of a `data:` URL. Other base64 counts as encrypted text, at most a page. No measurement supports it. Pure. */
export function sealedTokens(text: string): number {
  return text.startsWith('data:') ? fileTokens(text.slice(5, 100), text) : Math.min(cipherTokens(text), PAGE_TOKENS);
}

/** Walks the segments to the frame header, which may follow any amount of EXIF data and colour profiles. */
function jpegSize(bytes: Bytes): ImageSize | undefined {
  let offset = 2;
  while (bytes.at(offset) === 0xff) {
    const marker = bytes.at(offset + 1);
    if (isFrame(marker)) return sized(bigEndian(bytes, offset + 7, 2), bigEndian(bytes, offset + 5, 2));
    offset += marker === 0xff ? 1 : 2 + bigEndian(bytes, offset + 2, 2); // a fill byte has no length
  }
  return undefined;
}

/** SOF0 to SOF15, without the three multiples of four in between, which are tables or reserved. */
function isFrame(marker: number): boolean {
  return marker === 0xc0 || (marker > 0xc0 && marker <= 0xcf && marker % 4 > 0);
}

function webpSize(bytes: Bytes, kind: string): ImageSize | undefined {
  if (kind === 'VP8X') return sized(1 + littleEndian(bytes, 24, 3), 1 + littleEndian(bytes, 27, 3));
  if (kind === 'VP8L') {
    const packed = littleEndian(bytes, 21, 4);
    return sized(1 + (packed % 0x4000), 1 + ((packed >>> 14) % 0x4000));
  }
  // The upper two bits are a scale.
  return kind === 'VP8 ' ? sized(littleEndian(bytes, 26, 2) % 0x4000, littleEndian(bytes, 28, 2) % 0x4000) : undefined;
}

function bytesOf(base64: string): Bytes {
  const bare = base64.replace(/^data:[^,]*,/, '');
  const text = /\s/.test(bare.slice(0, 200)) ? bare.replace(/\s+/g, '') : bare;
  const length = Math.floor(text.length * 0.75);
  const sixtet = (index: number): number => SIXTETS[text.charCodeAt(index)] ?? 0;
  const three = (from: number): number => {
    const index = (from / 3) * 4;
    return (sixtet(index) << 18) | (sixtet(index + 1) << 12) | (sixtet(index + 2) << 6) | sixtet(index + 3);
  };
  return {
    length,
    three,
    at(offset) {
      if (!(offset < length)) return Number.NaN;
      const place = offset % 3;
      return (three(offset - place) >> (16 - 8 * place)) & 0xff;
    },
  };
}

/** The bytes from a multiple of three on, as Latin-1 text. Three at a time, because files may have megabytes. */
function textOf({ three, length }: Bytes, from: number, to: number): string {
  let text = '';
  for (let offset = from; offset < to && offset < length; offset += 3) {
    const group = three(offset);
    text += String.fromCharCode(group >> 16, (group >> 8) & 0xff, group & 0xff);
  }
  return text;
}

function sized(width: number, height: number): ImageSize | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function bigEndian(bytes: Bytes, offset: number, count: number): number {
  let value = 0;
  for (let i = 0; i < count; i++) value = value * 0x100 + bytes.at(offset + i);
  return value;
}

function littleEndian(bytes: Bytes, offset: number, count: number): number {
  let value = 0;
  for (let i = count; i-- > 0; ) value = value * 0x100 + bytes.at(offset + i);
  return value;
}
