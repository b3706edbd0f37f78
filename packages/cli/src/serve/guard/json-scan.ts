/** Why a JSON text would take too long to parse; undefined if it would not. */
export type Excess = 'depth' | 'values' | undefined;

const [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, BACKSLASH] = [34, 44, 91, 93, 123, 125, 92];

/**
 * Only counts brackets and commas, so that millions of values are refused before any object is created. The result for
 * invalid JSON is arbitrary. Pure.
 */
export function excessIn(text: string, maxDepth: number, maxValues: number): Excess {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++depth > maxDepth) return 'depth';
      values++;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
    else if (code === COMMA) values++;
    if (values > maxValues) return 'values';
  }
  return undefined;
}

/** The index of the closing quote. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
