import { sliceText } from '../../content.ts';

/** A sentence of a text, or a line that is one: a heading, a list item, a row of a table. */
export interface Sentence {
  readonly text: string;
  /** Paragraph, list item, heading or row that it is in, counted. */
  readonly block: number;
  readonly form: 'prose' | 'item' | 'heading' | 'row' | 'code';
  /** Inside a wrapper such as `<system-reminder>`. */
  readonly wrapped: boolean;
}

const LINE_END = /\r?\n|[\u2028\u2029]/;
const FENCE = /^\s*(?:>\s?)?(`{3,}|~{3,})/;
const HEADING = /^#{1,6}\s+/;
const ITEM = /^(?:[-*+•‣◦·]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?:\[[ x]\]\s+)?/i;
const QUOTE = /^(?:>\s?)+/;
/** A line between code fences that is not code: some people put whole plans there. */
const PROSE = /^[\p{Lu}\p{Lo}][^{}=<>;|]{20,}[.!?。！？]$/u;
const TAG = /<(\/?)([a-z][\w-]{0,63})(?:\s[^<>]{0,300})?>/gi;
const LETTER = /\p{L}/u;
/** A line that goes on in the next one was wrapped by an editor, so it is at least this long. */
const WRAPPED_LINE = 50;
/** Longer ones are cut where a word ends. */
const LONGEST = 600;

/** The sentences of a text, in order, without Markdown's marks at their start. Pure; linear in the length of the text. */
export function sentencesOf(text: string, isAbbreviation: (word: string) => boolean): Sentence[] {
  const sentences: Sentence[] = [];
  const wrappers = new Wrappers(text);
  let fence = '';
  let paragraph = '';
  let form: Sentence['form'] = 'prose';
  let block = 0;
  const end = () => {
    const wrapped = wrappers.inside;
    if (paragraph !== '')
      for (const one of split(paragraph, isAbbreviation)) sentences.push({ text: one, block, form, wrapped });
    paragraph = '';
    block++;
  };
  for (const raw of text.split(LINE_END)) {
    const [, mark = ''] = FENCE.exec(raw) ?? [];
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) {
      end();
      fence = fence === '' ? mark : '';
      continue;
    }
    if (fence === '' && raw.includes('<') && wrappers.read(raw)) end();
    const line = raw.trim().replace(QUOTE, '');
    if (!LETTER.test(line) || (fence !== '' && !PROSE.test(line))) {
      end();
      continue;
    }
    const item = ITEM.exec(line)?.[0] ?? HEADING.exec(line)?.[0] ?? '';
    const goesOn = paragraph !== '' && item === '' && fence === '' && line[0] !== '|' && continues(paragraph, line);
    if (!goesOn) {
      end();
      form =
        fence !== ''
          ? 'code'
          : line[0] === '|'
            ? 'row'
            : item.startsWith('#')
              ? 'heading'
              : item === ''
                ? 'prose'
                : 'item';
    }
    paragraph = goesOn ? `${paragraph} ${line}` : line.slice(item.length);
    if (paragraph.length > 20 * LONGEST) end();
  }
  end();
  return sentences;
}

function continues(before: string, line: string): boolean {
  return (
    before.length >= WRAPPED_LINE && !/[.!?:;。！？：；|]["'*_)]*$/.test(before.slice(-5)) && !/^[<{[|]/.test(line)
  );
}

/** Follows tags that are closed later in the text. */
class Wrappers {
  readonly #closes = new Map<string, number>();
  #open = '';
  #depth = 0;

  constructor(text: string) {
    if (!text.includes('</')) return;
    for (const [, close, name = ''] of text.matchAll(TAG))
      if (close) this.#closes.set(name, (this.#closes.get(name) ?? 0) + 1);
  }

  get inside(): boolean {
    return this.#depth > 0;
  }

  /** Reads the tags of a line; returns true if it has one that counts. */
  read(line: string): boolean {
    let any = false;
    for (const [, close, name = ''] of line.matchAll(TAG)) {
      const left = this.#closes.get(name) ?? 0;
      if (close) this.#closes.set(name, left - 1);
      if (this.#depth === 0 && !close && left > 0) this.#open = name;
      if (name !== this.#open || (left === 0 && !close)) continue;
      this.#depth = Math.max(0, this.#depth + (close ? -1 : 1));
      any = true;
    }
    return any;
  }
}

/** Where a sentence may end: punctuation, then what closes a quotation or emphasis. */
const END = /(?<![.!?…])[.!?…]+["'”’»)\]*_`]*(?=\s)|[。！？]+[”’」』）]*/g;

/** A paragraph's sentences. */
function split(paragraph: string, isAbbreviation: (word: string) => boolean): string[] {
  const out: string[] = [];
  let from = 0;
  const push = (to: number) => {
    const text = paragraph.slice(from, to).trim();
    if (LETTER.test(text)) for (const part of cut(text)) out.push(part);
    from = to;
  };
  for (const match of paragraph.matchAll(END)) {
    if (match[0] === '.') {
      const word =
        paragraph
          .slice(Math.max(from, match.index - 20), match.index)
          .split(/[\s(]/)
          .at(-1) ?? '';
      if (word.length === 1 || isAbbreviation(word.toLowerCase())) continue;
    }
    push(match.index + match[0].length);
  }
  push(paragraph.length);
  return out;
}

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
  pieces.push(text.slice(from).trim());
  return pieces;
}
