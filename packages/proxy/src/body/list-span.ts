/** Where a value is: from `start` up to, but not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where a list is in a body, and where its items are, counted from the start of the list. */
export interface ListSpan extends Span {
  readonly items: readonly Span[];
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [LEFT_BRACE, RIGHT_BRACE, LEFT_BRACKET, RIGHT_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Finds the list under a key of the outermost object, the last one if the key is repeated, as JSON.parse does. Undefined if it
 * is not a list. The result means nothing unless the bytes are valid JSON. `known` may name the first items of the list that
 * starts there, which then need not be scanned. Pure but for `known`.
 */
export function listSpan(
  json: Buffer,
  key: string,
  known: (start: number) => readonly Span[] = () => [],
): ListSpan | undefined {
  let found: ListSpan | undefined;
  let at = skipSpace(json, 0) + 1;
  for (;;) {
    at = skipSpace(json, at);
    if (json[at] !== QUOTE) return found;
    const end = skipString(json, at);
    const isKey = isSameKey(json.toString('latin1', at, end), key);
    const start = skipSpace(json, skipSpace(json, end) + 1);
    if (isKey) found = json[start] === LEFT_BRACKET ? itemsOf(json, start, known(start)) : undefined;
    at = skipSpace(json, (isKey && found?.end) || skipValue(json, start));
    if (json[at] === COMMA) at++;
  }
}

/** The list that starts here; with `most`, only its first items. `known`: those that need not be scanned. Pure. */
export function itemsOf(
  json: Buffer,
  start: number,
  known: readonly Span[] = [],
  most = Number.POSITIVE_INFINITY,
): ListSpan {
  const items = [...known];
  const last = known.at(-1);
  let at = last ? nextItem(json, start + last.end) : skipSpace(json, start + 1);
  while (items.length < most && at < json.length && json[at] !== RIGHT_BRACKET) {
    const end = skipValue(json, at);
    if (end === at) break;
    items.push({ start: at - start, end: end - start });
    at = nextItem(json, end);
  }
  return { start, end: at + 1, items };
}

function nextItem(json: Buffer, from: number): number {
  const at = skipSpace(json, from);
  return json[at] === COMMA ? skipSpace(json, at + 1) : at;
}

/** `quoted` has one character for each byte, which is as good for a key in ASCII. */
function isSameKey(quoted: string, key: string): boolean {
  const inner = quoted.slice(1, -1);
  if (inner === key) return true;
  try {
    return inner.includes('\\') && JSON.parse(quoted) === key;
  } catch {
    return false;
  }
}

function skipSpace(json: Buffer, from: number): number {
  let at = from;
  while (isSpace(json[at])) at++;
  return at;
}

function isSpace(code: number | undefined): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Where the value that starts here ends. */
function skipValue(json: Buffer, from: number): number {
  let depth = 0;
  let at = from;
  while (at < json.length) {
    const code = json[at];
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

/** Where the string whose first quote is here ends. Most of a body is in strings, so it does not look at each byte. */
function skipString(json: Buffer, from: number): number {
  let at = from;
  for (;;) {
    at = json.indexOf(QUOTE, at + 1);
    if (at < 0) return json.length;
    let slashes = 0;
    while (json[at - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at + 1;
  }
}
