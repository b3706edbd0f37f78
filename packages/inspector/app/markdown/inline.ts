/** A piece of a line. */
export type Inline =
  | { readonly type: 'text' | 'code'; readonly text: string }
  | { readonly type: 'strong' | 'em' | 'del'; readonly inside: readonly Inline[] }
  | { readonly type: 'link'; readonly url: string; readonly inside: readonly Inline[] };

const MOST_CHARS = 20_000;
const DEEPEST = 4;
const URL_END = /[\s<>"'`)\]]/;
/** From the longest to the shortest, because `*` starts `**`. */
const MARKS = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['*', 'em'],
  ['_', 'em'],
] as const;

/** Code, emphasis and links of a text. What is not closed stays text; only http(s) links are links. Pure. */
export function inlineOf(text: string, depth = 0): Inline[] {
  if (text.length > MOST_CHARS || depth > DEEPEST) return [{ type: 'text', text }];
  const found: Inline[] = [];
  // Never look for the end of the same mark twice, so that no text takes long.
  const unclosed = new Set<string>();
  let plainFrom = 0;
  let at = 0;
  while (at < text.length) {
    const piece = inlineAt(text, at, depth, unclosed);
    if (piece) {
      if (plainFrom < at) found.push({ type: 'text', text: text.slice(plainFrom, at) });
      found.push(piece.inline);
      at = piece.end;
      plainFrom = at;
    } else at++;
  }
  if (plainFrom < text.length) found.push({ type: 'text', text: text.slice(plainFrom) });
  return found;
}

interface ParsedInline {
  readonly inline: Inline;
  readonly end: number;
}

function inlineAt(text: string, at: number, depth: number, unclosed: Set<string>): ParsedInline | undefined {
  const sign = text[at];
  if (sign === '\\' && /[!-/:-@[-`{-~]/.test(text[at + 1] ?? ''))
    return { inline: { type: 'text', text: text[at + 1] ?? '' }, end: at + 2 };
  if (sign === '`') return codeAt(text, at, unclosed);
  if (sign === '[') return linkAt(text, at, depth, unclosed);
  if (sign === 'h' && /^https?:\/\//.test(text.slice(at, at + 8)) && !/\w/.test(text[at - 1] ?? ''))
    return urlAt(text, at);
  return sign === '*' || sign === '_' || sign === '~' ? emphasisAt(text, at, depth, unclosed) : undefined;
}

function codeAt(text: string, at: number, unclosed: Set<string>): ParsedInline {
  let ticks = 1;
  while (text[at + ticks] === '`') ticks++;
  const mark = '`'.repeat(ticks);
  const end = closeOf(text, mark, at + ticks, unclosed);
  if (end < 0) return { inline: { type: 'text', text: mark }, end: at + ticks };
  return { inline: { type: 'code', text: text.slice(at + ticks, end).trim() }, end: end + ticks };
}

function emphasisAt(text: string, at: number, depth: number, unclosed: Set<string>): ParsedInline | undefined {
  for (const [mark, type] of MARKS) {
    if (!text.startsWith(mark, at)) continue;
    const from = at + mark.length;
    // Names such as snake_case are not emphasis, and neither is `2 * 3`.
    if (/\s/.test(text[from] ?? ' ') || (mark[0] === '_' && /\w/.test(text[at - 1] ?? ''))) return undefined;
    const end = closeOf(text, mark, from + 1, unclosed);
    if (end < 0 || /\s/.test(text[end - 1] ?? '') || (mark[0] === '_' && /\w/.test(text[end + mark.length] ?? '')))
      return undefined;
    return { inline: { type, inside: inlineOf(text.slice(from, end), depth + 1) }, end: end + mark.length };
  }
  return undefined;
}

function linkAt(text: string, at: number, depth: number, unclosed: Set<string>): ParsedInline | undefined {
  const middle = closeOf(text, '](', at + 1, unclosed);
  const end = middle < 0 ? -1 : text.indexOf(')', middle + 2);
  if (end < 0) return undefined;
  const url = text.slice(middle + 2, end).trim();
  const words = text.slice(at + 1, middle);
  if (!isHttp(url) || words.includes('[')) return undefined;
  return { inline: { type: 'link', url, inside: inlineOf(words, depth + 1) }, end: end + 1 };
}

function urlAt(text: string, at: number): ParsedInline {
  let end = at;
  while (end < text.length && !URL_END.test(text[end] ?? ' ')) end++;
  const url = text.slice(at, end).replace(/[.,;:!?*_]+$/, '');
  return {
    inline: isHttp(url) ? { type: 'link', url, inside: [{ type: 'text', text: url }] } : { type: 'text', text: url },
    end: at + url.length,
  };
}

/** True for addresses that a click may lead to. Pure. */
function isHttp(url: string): boolean {
  return /^https?:\/\/[^\s]+$/i.test(url) && URL.canParse(url);
}

function closeOf(text: string, mark: string, from: number, unclosed: Set<string>): number {
  if (unclosed.has(mark)) return -1;
  const end = text.indexOf(mark, from);
  if (end < 0) unclosed.add(mark);
  return end;
}
