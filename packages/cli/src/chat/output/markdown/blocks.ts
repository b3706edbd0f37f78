import type { Token, Tokens } from 'marked';
import type { Style } from '../../../view/style.ts';
import type { Highlight } from './highlight.ts';
import { inlineSpans } from './inline.ts';
import { type Paint, PLAIN, type Span, wrapSpans } from './spans.ts';
import { tableRows } from './table.ts';

/** How blocks are drawn. */
export interface BlockStyle {
  readonly style: Style;
  readonly highlight: Highlight | undefined;
}

const INDENT = 2;

/** Blocks with a blank row between them, none wider than `columns`. Pure. */
export function blocksRows(tokens: readonly Token[], columns: number, how: BlockStyle): string[] {
  const blocks = tokens.map((token) => blockRows(token, columns, how)).filter((rows) => rows.length > 0);
  return blocks.flatMap((rows, i) => (i > 0 ? ['', ...rows] : rows));
}

/** The rows of one block; none for blank space. Pure. */
export function blockRows(token: Token, columns: number, how: BlockStyle): string[] {
  const { style } = how;
  const { colours, marks } = style;
  const block = token as Tokens.Generic;
  switch (block.type) {
    case 'space':
      return [];
    case 'heading':
      return headingRows(block as Tokens.Heading, columns, style);
    case 'code':
      return codeRows(String(block.text).split('\n'), String(block.lang ?? ''), columns, how);
    case 'list':
      return listRows(block as Tokens.List, columns, how);
    case 'table':
      return tableRows(block as Tokens.Table, columns, style);
    case 'blockquote': {
      const rows = blocksRows(block.tokens ?? [], Math.max(1, columns - INDENT), how);
      return rows.map((row) => `${colours.dim(marks.box.charAt(5))} ${row}`.trimEnd());
    }
    case 'hr':
      return [colours.dim(marks.rule.repeat(Math.max(1, Math.min(columns, 40))))];
    case 'html':
    case 'def':
      return wrapSpans([{ text: block.raw.trimEnd(), paint: colours.dim }], columns);
    default:
      return wrapSpans(inlineSpans(block.tokens ?? [block], style), columns);
  }
}

function headingRows({ depth, tokens }: Tokens.Heading, columns: number, style: Style): string[] {
  const { colours } = style;
  const paint: Paint = depth === 1 ? (text) => colours.bold(colours.underline(text)) : colours.bold;
  // Without colours, only the marks set it apart.
  const mark: Span[] = colours.isColorSupported ? [] : [{ text: `${'#'.repeat(depth)} `, paint: PLAIN }];
  return wrapSpans([...mark, ...inlineSpans(tokens, style, paint)], columns);
}

/** Lines of code, indented. Pure. */
export function codeRows(lines: readonly string[], language: string, columns: number, how: BlockStyle): string[] {
  const code = lines.join('\n');
  const [name = ''] = language
    .trim()
    .toLowerCase()
    .split(/[\s,{]/);
  const spans = how.highlight?.(code, name, how.style) ?? [{ text: code, paint: PLAIN }];
  return indented(wrapSpans(spans, Math.max(1, columns - INDENT)), INDENT);
}

/** Items with their bullets or numbers. Pure. */
export function listRows({ items, ordered, start }: Tokens.List, columns: number, how: BlockStyle): string[] {
  const bullet = how.style.marks.bullet;
  return items.flatMap((item, i) => {
    const mark = ordered ? `${Number(start || 1) + i}. ` : `${bullet} `;
    const own = item.tokens.filter(({ type }) => type !== 'checkbox');
    const box = item.task ? (item.checked ? '[x] ' : '[ ] ') : '';
    // Nested lists follow their item without a blank row.
    const parts = own.flatMap((token, at) => {
      const room = columns - mark.length - (at === 0 ? box.length : 0);
      return blockRows(token, Math.max(1, room), how);
    });
    const [first = '', ...rest] = parts;
    return [`${mark}${box}${first}`.trimEnd(), ...indented(rest, mark.length)];
  });
}

function indented(rows: readonly string[], columns: number): string[] {
  return rows.map((row) => (row === '' ? '' : `${' '.repeat(columns)}${row}`));
}
