/** A classified line of Markdown. `raw` is the original line. */
export type MarkdownLine = { readonly raw: string; readonly line: number } & (
  | { readonly type: 'heading'; readonly level: number; readonly text: string }
  | { readonly type: 'item' | 'more' | 'code' | 'text'; readonly text: string }
  | { readonly type: 'row'; readonly header: boolean; readonly cells: readonly string[] }
  /** Nothing to read: blank, a fence, a rule, a comment. */
  | { readonly type: 'mark' }
);

/** The lines of a text, and the line of a fence that was never closed. */
export interface Markdown {
  readonly lines: readonly MarkdownLine[];
  readonly unclosed?: number;
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(.*\S)/;
const DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * Reads Markdown line by line, by CommonMark's rules for headings, fences and comments; an indented line continues the list
 * item above it. An unclosed fence or comment hides nothing: it counts as text. Pure.
 */
export function markdownLines(text: string): Markdown {
  const raws = text.replace(/^\ufeff/, '').split(/\r?\n/);
  const lines: MarkdownLine[] = [];
  let unclosed: number | undefined;
  for (let at = 0; at < raws.length; at++) {
    const raw = raws[at] ?? '';
    const place = { raw, line: at + 1 };
    const last = lines.at(-1);
    const inItem = last?.type === 'item' || last?.type === 'more';
    const fence = openFence(raw);
    const end = fence ? closing(raws, at, fence, inItem) : commentEnd(raws, at);
    if (fence && end === undefined) unclosed ??= place.line;
    if (end !== undefined) {
      for (let inside = at; inside <= end; inside++) {
        const held = raws[inside] ?? '';
        const isMark = fence === undefined || inside === at || (inside === end && isClosing(held, fence));
        lines.push({
          raw: held,
          line: inside + 1,
          ...(isMark ? { type: 'mark' } : { type: 'code', text: held.trim() }),
        });
      }
      at = end;
    } else if (last?.type === 'text' && UNDERLINE.test(raw)) {
      const level = raw.trim().startsWith('=') ? 1 : 2;
      lines[lines.length - 1] = { ...last, type: 'heading', level };
      lines.push({ ...place, type: 'mark' });
    } else lines.push({ ...place, ...plainLine(raw, raws[at + 1] ?? '', last) });
  }
  return { lines, ...(unclosed === undefined ? {} : { unclosed }) };
}

type Kind<T> = T extends unknown ? Omit<T, 'raw' | 'line'> : never;

function plainLine(raw: string, next: string, last: MarkdownLine | undefined): Kind<MarkdownLine> {
  const heading = HEADING.exec(raw);
  if (heading) return { type: 'heading', level: heading[1]?.length ?? 1, text: heading[2]?.trim() ?? '' };
  if (raw.trim() === '' || RULE.test(raw)) return { type: 'mark' };
  const inTable = last?.type === 'row' || (last?.type === 'mark' && isDelimiter(last.raw));
  if (isDelimiter(raw) && inTable) return { type: 'mark' };
  const header = raw.includes('|') && isDelimiter(next);
  if (header || /^\s*\|.*\|/.test(raw) || (inTable && raw.includes('|')))
    return { type: 'row', header, cells: cellsOf(raw) };
  const item = ITEM.exec(raw)?.[1];
  if (item !== undefined) return { type: 'item', text: item };
  const isMore = (last?.type === 'item' || last?.type === 'more') && /^\s/.test(raw);
  return { type: isMore ? 'more' : 'text', text: raw.trim() };
}

function isDelimiter(raw: string): boolean {
  return raw.includes('|') && DELIMITER.test(raw);
}

function cellsOf(raw: string): string[] {
  const inner = raw.trim().replace(/^\||\|$/g, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function openFence(raw: string): string | undefined {
  return /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(raw)?.[1];
}

/** A fence is closed by at least as many of the same character, alone on a line. */
function isClosing(raw: string, fence: string): boolean {
  return /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(raw)?.[1]?.startsWith(fence) === true;
}

/** The last line of a fenced block; inside a list item it ends with the item at the latest. */
function closing(raws: readonly string[], at: number, fence: string, inItem: boolean): number | undefined {
  const indented = inItem && /^ {2}/.test(raws[at] ?? '');
  for (let end = at + 1; end < raws.length; end++) {
    const raw = raws[end] ?? '';
    if (isClosing(raw, fence)) return end;
    if (indented && /^\S/.test(raw)) return end - 1;
  }
  return undefined;
}

function commentEnd(raws: readonly string[], at: number): number | undefined {
  if (!/^ {0,3}<!--/.test(raws[at] ?? '')) return undefined;
  const end = raws.findIndex((raw, line) => line >= at && /-->\s*$/.test(raw));
  return end < 0 ? undefined : end;
}
