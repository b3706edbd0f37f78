/** True for a plain object; the wire formats know no other kind. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Length of the value's JSON text, escapes aside, without building it. */
export function jsonChars(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return value === undefined ? 0 : String(value).length;
  let chars = 2;
  if (Array.isArray(value)) {
    for (const item of value) chars += jsonChars(item) + 1;
    return chars;
  }
  for (const key in value) chars += key.length + 4 + jsonChars((value as Record<string, unknown>)[key]);
  return chars;
}

/** Characters of a block that is sent as text: its words, or else its JSON. */
export function blockChars(block: unknown): number {
  const words = isRecord(block) ? (block.text ?? block.thinking) : block;
  return typeof words === 'string' ? words.length : jsonChars(block);
}

const MEDIA = /^(?:image|image_url|document|file|input_audio)$/;

/** The text of a message's or a result's content: a string, or the text of its blocks; other blocks by their type. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(contentText).join('\n');
  if (!isRecord(content)) return String(content ?? '');
  const { type, text } = content;
  if (typeof text === 'string') return text;
  return MEDIA.test(String(type)) ? `[${type}]` : JSON.stringify(content);
}

/** The words in which a result stands that answers no call. */
export function quotedResult(id: unknown, text: string): string {
  return `[Quoted result of the call ${String(id)}]${text === '' ? '' : `\n${text}`}`;
}

/** Cuts without parting a surrogate pair. */
export function sliceText(text: string, from: number, to: number): string {
  const start = isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from;
  const end = to < text.length && isLowSurrogate(text.charCodeAt(to)) ? to - 1 : to;
  return text.slice(start, Math.max(start, end));
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Deep equality of wire values; key order does not count. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const left = definedKeys(a);
  return left.length === definedKeys(b).length && left.every((key) => sameValue(at(a, key), at(b, key)));
}

function definedKeys(value: object): string[] {
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

/** JSON text with the keys of each object in order. */
function canonical(value: unknown): string {
  const sorted = (_: string, item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item;
  return JSON.stringify(value, sorted) ?? 'null';
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}
