/** True for a plain object; the wire formats know no other kind. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Makes a value when it is first asked for, and lets go of what it was made from. */
export function once<T>(make: () => T): () => T {
  let left: (() => T) | undefined = make;
  let made: T;
  return () => {
    if (left) made = left();
    left = undefined;
    return made;
  };
}

/** Nobody can send much more: `JSON.stringify` itself overflows the stack at some thousands. */
export const DEPTH = 500;

export function tooDeep(): RangeError {
  return new RangeError(`more than ${DEPTH} levels`);
}

/** Throws RangeError for a value of more levels than can be sent, or without an end. */
export function checkDepth(value: object, depth = 0): void {
  if (depth > DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    // Not for..in, which makes a text of each index.
    for (let i = 0; i < value.length; i++) checkItem(value[i], depth);
    return;
  }
  for (const key in value) checkItem(value[key as keyof typeof value], depth);
}

function checkItem(item: unknown, depth: number): void {
  if (typeof item === 'object' && item !== null && !ArrayBuffer.isView(item)) checkDepth(item, depth + 1);
}

/** Length of the value's JSON text, escapes aside, without building it. Throws RangeError or TypeError for what is no JSON. */
export function jsonChars(value: unknown, depth = 0): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'bigint') throw new TypeError(`${value}n is no JSON`);
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

/** True for what stands in a field of this name and is no text: a `data:` URL, long base64, what only the provider can read. */
export function isSealed(key: string, value: unknown): value is string {
  if (typeof value !== 'string') return false;
  return /^data:[^,]{0,99};base64,/.test(value) || (SEALED.test(key) && /^[\w+/=-]{100}/.test(value));
}

const MEDIA = /^(?:input_)?(?:image|document|file|audio)(?:[_-]|$)|^encrypted_content$/;

/** True for a block that holds plain text, in whatever wire format. */
export function isText({ type }: Readonly<Record<string, unknown>>): boolean {
  return /^(?:(?:in|out)put_)?text$/.test(String(type));
}

/** Blocks of media that a dialect knows, by what they hold. */
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

/** What kind of media a block is; undefined for text, and for what no dialect knows. */
export function mediaKind(block: unknown): string | undefined {
  if (!isRecord(block)) return undefined;
  const kind = KINDS.get(String(block.type));
  return kind === 'file' && /^image\b/.test(String(block.mediaType)) ? 'image' : kind;
}

/** True if a text can stand for all of this content: text, or blocks of text and media. What nobody knows is never rewritten. */
export function isReplaceable(content: unknown): boolean {
  if (typeof content === 'string') return true;
  return Array.isArray(content) && content.every((block) => isKnownBlock(block));
}

function isKnownBlock(block: unknown): boolean {
  if (!isRecord(block)) return typeof block === 'string';
  const { type, text } = block;
  return isText(block) || type === 'refusal' || (type === undefined && typeof text === 'string') || !!mediaKind(block);
}

/** The text of a message's or a result's content: a string, or the text of its blocks; other blocks by their type. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(contentText).join('\n');
  if (!isRecord(content)) return String(content ?? '');
  const { type, text, refusal, data } = content;
  const words = text ?? refusal;
  if (typeof words === 'string') return words;
  if (isRecord(data) && typeof data.text === 'string') return data.text; // a file given as text
  return MEDIA.test(String(type)) ? `[${type}]` : JSON.stringify(content, withoutSealed);
}

function withoutSealed(key: string, value: unknown): unknown {
  return isSealed(key, value) ? `[${key}]` : value;
}

/** What of a content is no text: `2 images, 1 file`. Empty if all of it is. Pure. */
export function mediaIn(content: unknown): string {
  const counts = new Map<string, number>();
  for (const block of Array.isArray(content) ? content : []) {
    const kind = mediaKind(block);
    if (kind !== undefined) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}${count > 1 && kind !== 'sound' ? 's' : ''}`).join(', ');
}

const QUOTED = '[Quoted result of the call ';

/** The words in which a result stands that answers no call. Whoever made up the id can end the lead no earlier. */
export function quotedResult(id: unknown, text: string): string {
  const name = String(id)
    .slice(0, 64)
    .replace(/[^\w.:-]+/g, '_');
  return `${QUOTED}${name}]${text === '' ? '' : `\n${text}`}`;
}

/** The blocks of a result that answers no call: each text says whose it is. A lead of type `type` stands before any other. */
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

/** What of a content its speaker said: text, but no quoted result, nor what a provider's own tools gave. Pure. */
export function saidText(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  const said = blocks.filter((block) => isKnownBlock(block) && !mediaKind(block)).map(contentText);
  return said.filter((text) => !text.startsWith(QUOTED)).join('\n');
}

/** Cuts without parting a surrogate pair. */
export function sliceText(text: string, from: number, to: number): string {
  const start = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  const end = to < text.length && isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
  return text.slice(start, Math.max(start, end));
}

/** A copy of its own: an engine may let a piece of a text hold the whole of it, and what a window keeps outlives that. */
export function ownText(text: string): string {
  return ` ${text}`.slice(1);
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** The digits of base64, in order. */
export const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The value as JSON has it, but for what it holds: bytes as base64, a URL as text, no number but those of JSON. Pure. */
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

/** By chunks of whole groups, because a string that grows by single characters takes seconds for a large picture. */
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

/** A copy that is plain JSON throughout. Pure. */
export function plainJson(value: unknown): unknown {
  return copied(value, false);
}

/** A copy that nobody can change, however deep; itself if it is one. Pure. */
export function frozen<T>(value: T): T {
  return Object.isFrozen(value) ? value : (copied(value, false, Object.freeze) as T);
}

/** The value itself, which nobody can change from now on, however deep. */
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

/** Deep equality of wire values in their JSON form; key order does not count. */
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

/** The keys that JSON would hold. */
export function definedKeys(value: object): string[] {
  return Object.keys(value).filter((key) => at(value, key) !== undefined);
}

function at(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}

/** A 64-bit hash of a wire value as 16 hex digits; key order does not count. Not for security. */
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

/** JSON text with the keys of each object in order; empty, which no JSON is, for what has no end or far too many levels. */
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
