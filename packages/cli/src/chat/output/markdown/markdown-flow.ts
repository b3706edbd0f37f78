import { lexer, type Token, type Tokens } from 'marked';
import { harmless } from '../../../view/harmless.ts';
import type { Style } from '../../../view/style.ts';
import { wrapLine } from '../../../view/text.ts';
import type { Flow } from '../flow.ts';
import { type BlockStyle, blockRows, blocksRows, codeRows, listRows } from './blocks.ts';
import type { Highlight } from './highlight.ts';

/** Makes the rest of a paragraph a paragraph, whatever it begins with. Invisible, and removed from rows. */
const GOES_ON = '\u2060';
/** Characters that may start something that is not a plain word. */
const SPECIAL = /[*_`[\]<>&\\~!|#]|https?:|www\./;
/** Longer code is coloured in parts: colouring it all for each line would take long. */
const MOST_CODE_LINES = 400;

/**
 * Streamed Markdown. Printed rows cannot change, so only what later text cannot affect is final: blocks before the last one;
 * and of the last one items of a list, lines of code, and rows of plain words. Stateful.
 */
export function createMarkdownFlow(style: Style, highlight: () => Highlight | undefined): Flow {
  let pending = '';
  /** Some of the last block is final already. */
  let isOpen = false;
  let isFirst = true;
  /** Lines of the last block, if it is code, that are final. */
  let codeLines = 0;
  /** The number of the next item, if the last block is a list that has begun. */
  let nextNumber: number | undefined;
  let seen: { readonly text: string; readonly columns: number } | undefined;
  const how = (): BlockStyle => ({ style, highlight: highlight() });

  /** Rows of a block, after a blank one if it is a new block. */
  function placed(rows: readonly string[]): string[] {
    if (rows.length === 0) return [];
    const gap = isFirst || isOpen ? [] : [''];
    isFirst = false;
    return [...gap, ...rows];
  }

  function whole(token: Token, columns: number): string[] {
    const fence = fenceOf(token);
    if (fence) return linesFrom(fence, codeLines, columns);
    return blockRows(token.type === 'list' ? goneOn(token as Tokens.List) : token, columns, how());
  }

  /** What is left of a list, whose items may all have the number 1. */
  function goneOn(list: Tokens.List): Tokens.List {
    return isOpen && nextNumber !== undefined ? { ...list, start: nextNumber } : list;
  }

  function linesFrom({ lines, language }: Fence, from: number, columns: number): string[] {
    if (from === 0 || lines.length > MOST_CODE_LINES) return codeRows(lines.slice(from), language, columns, how());
    const before = codeRows(lines.slice(0, from), language, columns, how()).length;
    return codeRows(lines, language, columns, how()).slice(before);
  }

  function finish(token: Token, columns: number): string[] {
    const rows = placed(whole(token, columns));
    isOpen = false;
    codeLines = 0;
    nextNumber = undefined;
    return rows;
  }

  /** What is final of the last block; the rest stays pending. */
  function started(token: Token, columns: number): string[] {
    const fence = fenceOf(token);
    const rows = fence
      ? startedCode(fence, columns)
      : token.type === 'list'
        ? startedList(token as Tokens.List, columns)
        : token.type === 'paragraph'
          ? startedText(token, columns)
          : [];
    const shown = placed(rows);
    if (rows.length > 0) isOpen = true;
    return shown;
  }

  function startedCode(fence: Fence, columns: number): string[] {
    const final = fence.isClosed ? fence.lines.length : Math.max(codeLines, fence.lines.length - 1);
    if (final === codeLines) return [];
    const rows = linesFrom({ ...fence, lines: fence.lines.slice(0, final) }, codeLines, columns);
    codeLines = final;
    return rows;
  }

  function startedList(list: Tokens.List, columns: number): string[] {
    const items = list.items.slice(0, -1);
    if (items.length === 0) return [];
    pending = after(pending, items);
    const from = goneOn(list);
    nextNumber = Number(from.start || 1) + items.length;
    return listRows({ ...from, items }, columns, how());
  }

  function startedText(token: Token, columns: number): string[] {
    if (!pending.startsWith(token.raw)) return [];
    const render = (raw: string) => blockRows(lex(raw)[0] ?? token, columns, how());
    const [rows, rest] = startedRows(token.raw, columns, render);
    pending = rest + pending.slice(token.raw.length);
    return rows;
  }

  return {
    add(text) {
      // Sequences for a terminal would confuse the parser; what is left of them is removed from rows.
      // A return at the end may be half of a line end.
      pending += harmless(text.replace(/\r(?!\n|$)/g, '\n').replaceAll('\r', ''));
    },
    rows(columns) {
      if (pending === seen?.text && columns === seen.columns) return [];
      const tokens = lex(pending);
      const last = tokens.findLastIndex(({ type }) => type !== 'space');
      const rows = tokens
        .slice(0, Math.max(0, last))
        .flatMap((token) => (token.type === 'space' ? [] : finish(token, columns)));
      pending = after(pending, tokens.slice(0, Math.max(0, last)));
      const open = tokens[last];
      if (open) rows.push(...started(open, columns));
      seen = { text: pending, columns };
      return rows;
    },
    rest(columns) {
      const tokens = lex(pending);
      const [first, ...others] = tokens.filter(({ type }) => type !== 'space');
      if (!first) return [];
      const more = blocksRows(others, columns, how());
      const rows = [...whole(first, columns), ...(more.length > 0 ? ['', ...more] : [])];
      return isFirst || isOpen || rows.length === 0 ? rows : ['', ...rows];
    },
    end(columns) {
      const tokens = lex(pending).filter(({ type }) => type !== 'space');
      pending = '';
      return tokens.flatMap((token) => finish(token, columns));
    },
  };
}

/** The text after these tokens. The parser may change blank space, so only other characters count. */
function after(text: string, tokens: readonly { readonly raw: string }[]): string {
  let left = tokens.reduce((sum, { raw }) => sum + raw.replace(/\s/g, '').length, 0);
  let at = 0;
  for (; left > 0 && at < text.length; at++) if (!/\s/.test(text.charAt(at))) left -= 1;
  return text.slice(at);
}

function lex(text: string): Token[] {
  return lexer(text, { gfm: true, breaks: true });
}

interface Fence {
  readonly raw: string;
  readonly language: string;
  readonly lines: readonly string[];
  readonly isClosed: boolean;
}

/** A fenced block of code; undefined for any other. */
function fenceOf({ type, raw }: Token): Fence | undefined {
  const [opening, fence = ''] = /^ {0,3}(`{3,}|~{3,})[^\n]*(?:\n|$)/.exec(raw) ?? [];
  if (type !== 'code' || opening === undefined) return undefined;
  const lines = raw
    .slice(opening.length)
    .replace(/\n+$/, (ends) => ends.slice(1))
    .split('\n');
  const closing = (lines.at(-1) ?? '').trim();
  const isClosed = closing.length >= fence.length && closing === fence.charAt(0).repeat(closing.length);
  const language = opening.trim().slice(fence.length);
  return { raw, language, lines: isClosed ? lines.slice(0, -1) : lines, isClosed };
}

/** Rows of plain words at the start of a paragraph, but for the last row, which later words may join; and the rest. */
function startedRows(raw: string, columns: number, render: (raw: string) => string[]): [string[], string] {
  const [, text = '', ends = ''] = /^([\s\S]*?)(\n*)$/.exec(raw.replaceAll(GOES_ON, '')) ?? [];
  const special = text.search(SPECIAL);
  const plain = special < 0 ? text : (/^[\s\S]*\s/.exec(text.slice(0, special))?.[0] ?? '');
  const lines = plain.split('\n');
  const open = lines.pop() ?? '';
  const wrapped = wrapLine(open, columns);
  const last = wrapped.pop() ?? '';
  const rows = [...lines.flatMap((line) => wrapLine(line, columns)), ...wrapped];
  if (rows.length === 0) return special < 0 ? [[], raw] : startedStyled(raw, render);
  // Wrapping trimmed the blank after the last word.
  const joint = / $/.test(open) && last !== '' ? ' ' : '';
  return [rows, `${GOES_ON}${last}${joint}${text.slice(plain.length)}${ends}`];
}

/** Shorter paragraphs stay in one piece. */
const MOST_ROWS = 6;
/** Words to look back for a place to cut. */
const MOST_WORDS = 40;

/** The same for styled text: cut where a row ends and nothing is open, such as a bold phrase. */
function startedStyled(raw: string, render: (raw: string) => string[]): [string[], string] {
  const all = render(raw).length;
  if (all <= MOST_ROWS) return [[], raw];
  const words = [...raw.matchAll(/\s+/g)].slice(-MOST_WORDS).toReversed();
  for (const { index, 0: blank } of words) {
    const before = raw.slice(0, index);
    const [next = ''] = /^\S*/.exec(raw.slice(index + blank.length)) ?? [];
    const rows = render(before);
    const isEnd = blank.includes('\n') || render(`${before} ${next.replace(/\W/g, 'x')}`).length > rows.length;
    if (rows.length < all && isEnd && isBalanced(before)) return [rows, `${GOES_ON}${raw.slice(index + blank.length)}`];
  }
  return [[], raw];
}

function isBalanced(text: string): boolean {
  const left = text
    .replace(/`[^`]*`|!?\[[^\]]*\]\([^)\s]*\)|\\./g, '')
    .replace(/\*\*[^*]+\*\*|~~[^~]+~~|\w_\w/g, '')
    .replace(/\*[^*\s][^*]*\*|\b_[^_]+_\b/g, '');
  return !/[*_`[~<]/.test(left);
}
