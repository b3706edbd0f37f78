import { sliceText } from '../quoting/slice.ts';
import { Wrappers } from './wrappers.ts';

/** A sentence of a text, or a line that is one: a heading, a list item, a row of a table. */
export interface Sentence {
  readonly text: string;
  /** The paragraph, list item, heading or row that it is in, counted. */
  readonly block: number;
  readonly form: 'prose' | 'item' | 'heading' | 'row' | 'code' | 'log';
  /** Inside a wrapper such as `<system-reminder>`. */
  readonly wrapped: boolean;
}

type IsAbbreviation = (word: string) => boolean;

/** The sentences of a text, in order, without Markdown's marks at their start. Pure; linear in the length of the text. */
export function sentencesOf(text: string, isAbbreviation: IsAbbreviation): Sentence[] {
  return blocksOf(text).flatMap(({ text: whole, ...rest }, block) =>
    split(whole, isAbbreviation).map((one) => ({ text: one, block, ...rest })),
  );
}

type Block = Omit<Sentence, 'block'>;

const LINE_END = /\r?\n|[\u2028\u2029]/;
const FENCE = /^\s*(?:>\s?)?(`{3,}|~{3,})\s*([^\s`]*)/;
/** The language of fences around words rather than code. */
const NO_CODE = /^(?:te?xt|md|markdown|plain(?:text)?)?$/i;
/** A line between fences that is not code: some people put whole plans there. */
const PROSE = /^[\p{Lu}\p{Lo}][^{}=<>;|]{20,}[.!?。！？]$/u;
const HEADING = /^#{1,6}\s+/;
const BOLD_LINE = /^\*\*[^*]+\*\*:?$/;
const ITEM = /^(?:[-*+•‣◦·]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?:\[[ x]\]\s+)?/i;
const QUOTE = /^(?:>\s?)+/;
/** A line of a JSON object: only the words in it are said. */
const PROPERTY = /^"[\w -]{1,40}":\s*(?:"(.*)"|[^"]*),?$/;
/** A line of a log, a property of a page's metadata, or the start of a call: nobody said it. */
const LOGGED = /^(?:\S+\.\w{1,5}:\d+: |'[\w: -]{1,40}': |"[\w. -]*[:@][\w:. -]*": )|\w\($/;
/** How a line of a log or of a chat begins: with a time. Such a line does not continue another, nor another it. */
const STAMP = /^[[(]?(?:\d{4}-\d\d-\d\d[T ])?\d\d?:\d\d(?::\d\d|\b)|^\p{Lu}\p{Ll}{2} +\d\d? \d\d:\d\d:\d\d /u;
const LETTER = /\p{L}/u;
/** A line that an editor wrapped is at least this long. */
const WRAPPED_LINE = 50;
/** A longer block ends, whatever follows. */
const LONGEST_BLOCK = 12_000;

/** The paragraphs, list items, headings and rows of a text. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  const wrappers = new Wrappers(text);
  let fence = '';
  let code = false;
  let open: Block | undefined;
  for (const raw of text.split(LINE_END)) {
    const [, mark = '', language = ''] = FENCE.exec(raw) ?? [];
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) {
      fence = fence === '' ? mark : '';
      code = fence !== '' && !NO_CODE.test(language);
      open = undefined;
      continue;
    }
    const { line: unwrapped, wrapped } = wrappers.read(raw);
    const line = unwrapped.trim().replace(QUOTE, '').replace(PROPERTY, '$1');
    const [sign = ''] = ITEM.exec(line) ?? HEADING.exec(line) ?? [];
    const words = line.slice(sign.length);
    if (!LETTER.test(words) || (fence !== '' && !PROSE.test(words))) open = undefined;
    else if (LOGGED.test(line)) {
      blocks.push({ text: words, form: 'log', wrapped });
      open = undefined;
    } else if (open && sign === '' && fence === '' && wrapped === open.wrapped && continues(open, line)) {
      open = { ...open, text: `${open.text} ${words}` };
      blocks[blocks.length - 1] = open;
    } else {
      open = { text: words, form: code ? 'code' : formOf(line, sign), wrapped };
      blocks.push(open);
    }
  }
  return blocks;
}

function formOf(line: string, sign: string): Sentence['form'] {
  if (line.startsWith('|') || STAMP.test(line)) return 'row';
  if (sign.startsWith('#') || BOLD_LINE.test(line)) return 'heading';
  return sign === '' ? 'prose' : 'item';
}

function continues({ text, form }: Block, line: string): boolean {
  if (form === 'row' || form === 'heading' || text.length < WRAPPED_LINE || text.length > LONGEST_BLOCK) return false;
  return !/[.!?:;。！？：；]["'*_)]*$/.test(text.slice(-5)) && !/^[<{[|]/.test(line) && !STAMP.test(line);
}

/** Where a sentence may end: punctuation, then what closes a quotation or emphasis. */
const END = /(?<![.!?…])[.!?…]+["'”’»)\]*_`]*(?=\s)|[。！？]+[”’」』）]*/g;

/** Code in a text: no sentence ends there. */
const CODE_SPAN = /`[^`]+`/g;

/** The sentences of a block. */
function split(block: string, isAbbreviation: IsAbbreviation): string[] {
  const sentences: string[] = [];
  let from = 0;
  const push = (to: number) => {
    const text = block.slice(from, to).trim();
    if (LETTER.test(text)) for (const part of cut(text)) sentences.push(part);
    from = to;
  };
  const spans = [...block.matchAll(CODE_SPAN)];
  let span = 0;
  for (const { 0: end, index } of block.matchAll(END)) {
    while (span < spans.length && endOf(spans[span]) < index + end.length) span++;
    if (index > (spans[span]?.index ?? block.length) && endOf(spans[span]) > index + end.length) continue;
    const word =
      end === '.'
        ? block
            .slice(Math.max(from, index - 20), index)
            .split(/[\s(]/)
            .at(-1)
        : undefined;
    if (word === undefined || (word.length !== 1 && !isAbbreviation(word.toLowerCase()))) push(index + end.length);
  }
  push(block.length);
  return sentences;
}

function endOf(match: RegExpExecArray | undefined): number {
  return match === undefined ? 0 : match.index + match[0].length;
}

/** Longer ones are cut where a word ends. */
const LONGEST = 600;

/** Pieces of a text without a full stop, none longer than a sentence may be. */
function cut(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > LONGEST) {
    const piece = sliceText(text, from, from + LONGEST);
    const space = piece.lastIndexOf(' ');
    pieces.push(space > 0 ? piece.slice(0, space) : piece);
    from += space > 0 ? space + 1 : piece.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}
