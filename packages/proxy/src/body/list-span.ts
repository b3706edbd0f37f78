/** Where a value is in a text: from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a list and each of its items are. */
export interface ListSpan extends Span {
  readonly items: readonly Span[];
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LEFT_BRACE, RIGHT_BRACE, LEFT_BRACKET, RIGHT_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Finds the list under a key of the outermost object, the last one if the key is repeated, as JSON.parse does. Undefined if it
 * is not a list. The text must be valid JSON; with one character for each byte, the positions are those of bytes. Pure.
 */
export function listSpan(json: string, key: string): ListSpan | undefined {
  let found: Span | undefined;
  let at = skipSpace(json, 0) + 1;
  for (;;) {
    at = skipSpace(json, at);
    if (json.charCodeAt(at) !== QUOTE) break;
    const end = skipString(json, at);
    const isKey = isSameKey(json.slice(at, end), key);
    const start = skipSpace(json, skipSpace(json, end) + 1);
    at = skipValue(json, start);
    if (isKey) found = { start, end: at };
    at = skipSpace(json, at);
    if (json.charCodeAt(at) === COMMA) at++;
  }
  if (!found || json.charCodeAt(found.start) !== LEFT_BRACKET) return undefined;
  return { ...found, items: itemsOf(json, found) };
}

function itemsOf(json: string, { start: from, end: to }: Span): Span[] {
  const items: Span[] = [];
  let at = skipSpace(json, from + 1);
  while (at < to - 1) {
    const end = skipValue(json, at);
    items.push({ start: at, end });
    at = skipSpace(json, end);
    if (json.charCodeAt(at) === COMMA) at = skipSpace(json, at + 1);
  }
  return items;
}

function isSameKey(quoted: string, key: string): boolean {
  const inner = quoted.slice(1, -1);
  return inner === key || (inner.includes('\\') && JSON.parse(quoted) === key);
}

function skipSpace(json: string, from: number): number {
  let at = from;
  while (isSpace(json.charCodeAt(at))) at++;
  return at;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Where the value that starts here ends. */
function skipValue(json: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < json.length) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(json, at);
      if (depth === 0) return at;
      continue;
    }
    const closes = code === RIGHT_BRACE || code === RIGHT_BRACKET;
    if (depth === 0 && (closes || code === COMMA || isSpace(code))) return at;
    at++;
    if (code === LEFT_BRACE || code === LEFT_BRACKET) depth++;
    else if (closes && --depth === 0) return at;
  }
  return at;
}

/** Where the string whose first quote is here ends. Most of a body is in strings, so it does not look at each character. */
function skipString(json: string, from: number): number {
  let at = from;
  for (;;) {
    at = json.indexOf('"', at + 1);
    if (at < 0) return json.length;
    let slashes = 0;
    while (json.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}
