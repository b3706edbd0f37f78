/** True for a plain object, the only kind of object in the wire formats. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Computes a value on first use, then releases what it was computed from. */
export function once<T>(make: () => T): () => T {
  let left: (() => T) | undefined = make;
  let made: T;
  return () => {
    if (left) made = left();
    left = undefined;
    return made;
  };
}

/** Deeper values cannot be sent: `JSON.stringify` itself overflows the stack at a few thousand levels. */
export const DEPTH = 500;

export function tooDeep(): RangeError {
  return new RangeError(`more than ${DEPTH} levels`);
}

/** Throws RangeError for a value nested too deep to be sent, or circular. */
export function checkDepth(value: object, depth = 0): void {
  if (depth > DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    // Not for..in, which turns each index into a string.
    for (let i = 0; i < value.length; i++) checkItem(value[i], depth);
    return;
  }
  for (const key in value) checkItem(value[key as keyof typeof value], depth);
}

function checkItem(item: unknown, depth: number): void {
  if (typeof item === 'object' && item !== null && !ArrayBuffer.isView(item)) checkDepth(item, depth + 1);
}

/** Length of the value's JSON text, without escapes and without building it. Throws RangeError or TypeError if it is not JSON. */
export function jsonChars(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'bigint') throw new TypeError(`${value}n is not JSON`);
    return value === undefined ? 0 : String(value).length;
  }
  if (depth > DEPTH) throw tooDeep();
  let chars = 2;
  if (Array.isArray(value)) {
    for (const item of value) chars += jsonChars(item, depth + 1) + 1;
    return chars;
  }
  for (const key in value) chars += key.length + 4 + jsonChars((value as Record<string, unknown>)[key], depth + 1);
  return chars;
}

const SEALED = /^(?:.*encrypted.*|.*signature|redacted_?data|data|blob)$/i;

/** True if a field of this name has opaque data: a `data:` URL, long base64, or what only the provider can read. */
export function isSealed(key: string, value: unknown): value is string {
  if (typeof value !== 'string') return false;
  return /^data:[^,]{0,99};base64,/.test(value) || (SEALED.test(key) && /^[\w+/=-]{100}/.test(value));
}

const MEDIA = /^(?:input_)?(?:image|document|file|audio)(?:[_-]|$)|^encrypted_content$/;

/** True for a block of plain text, in any wire format. */
export function isText({ type }: Readonly<Record<string, unknown>>): boolean {
  return /^(?:(?:in|out)put_)?text$/.test(String(type));
}

/** The kind of media in each block type that a dialect knows. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ...['image', 'image_url', 'input_image', 'image-data', 'image-url', 'image-file-id', 'image-file-reference'].map(
    (type) => [type, 'image'] as const,
  ),
  ...['file', 'input_file', 'file-data', 'file-url', 'file-id', 'file-reference'].map(
    (type) => [type, 'file'] as const,
  ),
  ['document', 'document'],
  ['input_audio', 'sound'],
]);

/** The kind of media in a block; undefined for text and for unknown blocks. */
export function mediaKind(block: unknown): string | undefined {
  if (!isRecord(block)) return undefined;
  const gemini = block.inlineData ?? block.fileData;
  const kind = gemini ? 'file' : KINDS.get(String(block.type));
  const media = isRecord(gemini) ? gemini.mimeType : block.mediaType;
  return kind === 'file' && /^image\b/.test(String(media)) ? 'image' : kind;
}

/** True if a text can replace this content: text, or blocks of text and media. Unknown blocks are never rewritten. */
export function isReplaceable(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((block) => isKnownBlock(block));
}

function isKnownBlock(block: unknown): boolean {
  if (!isRecord(block)) return typeof block === 'string';
  const { type, text } = block;
  return isText(block) || type === 'refusal' || (type === undefined && typeof text === 'string') || !!mediaKind(block);
}

/** The text of a message or a result: a string, or the text of its blocks; media appear as their type. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(contentText).join('\n');
  if (!isRecord(content)) return String(content ?? '');
  const { type, text, refusal, data } = content;
  const words = text ?? refusal;
  if (typeof words === 'string') return words;
  if (isRecord(data) && typeof data.text === 'string') return data.text; // a file given as text
  const media = type === undefined ? mediaKind(content) : MEDIA.test(String(type)) && type;
  return media ? `[${media}]` : JSON.stringify(content, withoutSealed);
}

function withoutSealed(key: string, value: unknown): unknown {
  return isSealed(key, value) ? `[${key}]` : value;
}

/** Counts the media in a content: `2 images, 1 file`. Empty if there are none. Pure. */
export function mediaIn(content: unknown): string {
  const counts = new Map<string, number>();
  for (const block of Array.isArray(content) ? content : []) {
    const kind = mediaKind(block);
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}${count > 1 && kind !== 'sound' ? 's' : ''}`).join(', ');
}

/** A text after another one, with a blank line in between. */
export function appendText(before: string, text: string): string {
  return before === '' ? text : `${before}\n\n${text}`;
}

const QUOTED = '[Quoted result of the call ';

/** Quotes a result that answers no call. A malicious id cannot end the lead early. */
export function quotedResult(id: unknown, text: string): string {
  const name = String(id)
    .slice(0, 64)
    .replace(/[^\w.:-]+/g, '_');
  return `${QUOTED}${name}]${text === '' ? '' : `\n${text}`}`;
}

/** Quotes the blocks of a result that answers no call. If the first is not text, a lead of this `type` precedes it. */
export function quotedBlocks<B>(
  id: unknown,
  blocks: readonly B[],
  type: string,
): (B | { type: string; text: string })[] {
  const quoted = blocks.map((block) => {
    const text = isRecord(block) && isText(block) ? block.text : undefined;
    return typeof text === 'string' ? { ...block, text: quotedResult(id, text) } : block;
  });
  return quoted[0] === blocks[0] ? [{ type, text: quotedResult(id, '') }, ...quoted] : quoted;
}

/** What the speaker said: text, without quoted results and the output of a provider's own tools. Pure. */
export function saidText(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  const said = blocks.filter((block) => isKnownBlock(block) && !mediaKind(block)).map(contentText);
  return said.filter((text) => !text.startsWith(QUOTED)).join('\n');
}

/** Slices without splitting a surrogate pair. */
export function sliceText(text: string, from: number, to: number): string {
  const start = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  const end = to < text.length && isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
  return text.slice(start, Math.max(start, end));
}

/** A copy that does not keep the text alive that it was sliced from. */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The digits of base64, in order. */
export const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The JSON form of this value, not of those inside it: bytes as base64, a URL as text, null for NaN and Infinity. Pure. */
export function jsonForm(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null; // the sum is never -0
  if (typeof value !== 'object' || value === null) return value;
  const bytes = bytesOf(value);
  if (bytes) return base64(bytes);
  return 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : value;
}

/** The bytes of a buffer or of a view of one; undefined for anything else. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}

/** In chunks of whole groups: appending single characters takes seconds for a large picture. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += 6144) {
    const codes: number[] = [];
    const end = Math.min(bytes.length, from + 6144);
    for (let i = from; i < end; i += 3) {
      const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
      for (let shift = 18; shift >= 0; shift -= 6) codes.push(BASE64.charCodeAt((group >> shift) & 63));
    }
    text += String.fromCharCode(...codes);
  }
  const spare = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - spare) + '='.repeat(spare);
}

/** A copy as plain JSON. Pure. */
export function plainJson(value: unknown): unknown {
  return copied(value, false);
}

/** A deeply frozen copy; the value itself if it is frozen. Pure. */
export function frozen<T>(value: T): T {
  return Object.isFrozen(value) ? value : (copied(value, false, Object.freeze) as T);
}

/** Freezes the value itself, deeply. */
export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in Object.freeze(value)) freeze(value[key]);
  return value;
}

function copied(value: unknown, sorted: boolean, made = <T>(copy: T): T => copy): unknown {
  const form = jsonForm(value);
  if (Array.isArray(form)) return made(form.map((item) => copied(item ?? null, sorted, made)));
  if (!isRecord(form)) return form;
  const entries = Object.entries(form).map(([key, item]) => [key, copied(item, sorted, made)] as const);
  return made(Object.fromEntries(sorted ? entries.sort(([a], [b]) => (a < b ? -1 : 1)) : entries));
}

/** Deep equality of wire values in their JSON form, whatever the order of keys. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  const a = jsonForm(one);
  const b = jsonForm(other);
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return a === b;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item ?? null, b[i] ?? null));
  if (Array.isArray(b)) return false;
  const left = definedKeys(a);
  return left.length === definedKeys(b).length && left.every((key) => sameValue(at(a, key), at(b, key)));
}

/** The keys that JSON keeps. */
export function definedKeys(value: object): string[] {
  return Object.keys(value).filter((key) => at(value, key) !== undefined);
}

function at(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}

/** A 64-bit hash of a wire value as 16 hex digits, whatever the order of keys. Not for security. */
export function hashValue(value: unknown): string {
  let high = 0x9747b28c;
  let low = 0x85ebca6b;
  const text = canonical(value);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x01000193) ^ (low >>> 13);
    low = Math.imul(low ^ code, 0x5bd1e995) ^ (high >>> 15);
  }
  return hex(high) + hex(low);
}

/** JSON text with sorted keys; empty for a value that is circular or nested too deep. */
function canonical(value: unknown): string {
  try {
    return JSON.stringify(copied(value, true)) ?? 'null';
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
