/** A part of a message's text: characters from `start` up to `end`. */
export interface Passage {
  readonly start: number;
  readonly end: number;
}

/** Most characters of a passage: of 600, 1,200 and 2,400 the one that found most by a few words; see decision 12. */
const PASSAGE_CHARS = 1_200;
/** Longer words are found by their first characters: a SHA-256 has 64 digits. */
const WORD_CHARS = 64;

/** Splits a text into passages of whole lines; cuts a line that is too long, between words if possible. Pure. */
export function passagesOf(text: string): Passage[] {
  const passages: Passage[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start);
    if (/\S/.test(text.slice(start, end))) passages.push({ start, end });
    start = end;
  }
  return passages;
}

function endOf(text: string, start: number): number {
  const most = start + PASSAGE_CHARS;
  if (most >= text.length) return text.length;
  const near = text.slice(start, most);
  const line = near.lastIndexOf('\n');
  if (line > 0) return start + line + 1;
  const blank = near.lastIndexOf(' ');
  if (blank > PASSAGE_CHARS / 2) return start + blank + 1;
  const code = text.charCodeAt(most);
  return code >= 0xdc00 && code <= 0xdfff ? most - 1 : most;
}

/** The first and last line of a passage, counted from 1. Pure. */
export function linesOf(text: string, { start, end }: Passage): { readonly from: number; readonly to: number } {
  let from = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < start; at = text.indexOf('\n', at + 1)) from++;
  const inside = text.slice(start, end).trimEnd();
  return { from, to: from + inside.split('\n').length - 1 };
}

const RUN = /[A-Za-z0-9_\u0080-\uffff]+/g;
const WORD = /[\p{L}\p{N}\p{M}_]+/gu;
/** Scripts without spaces between words: each character is a word. */
const UNSPACED = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])/gu;

/**
 * The words by which a text is found, in order: without case and accents, identifiers as their parts and as a whole
 * (`getUserName` and `get_user_name` alike: get, user, name, getusername). Pure; the same for texts and for what is asked.
 */
export function wordsIn(text: string): string[] {
  const words: string[] = [];
  for (const run of text.match(RUN) ?? []) {
    if (isAscii(run)) addWord(run, words);
    else for (const word of plainLetters(run).match(WORD) ?? []) addWord(word, words);
  }
  return words;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

function plainLetters(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}+/gu, '')
    .replace(UNSPACED, ' $1 ');
}

const COMPOUND = /_|[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;

function addWord(word: string, words: string[]): void {
  if (!COMPOUND.test(word)) {
    words.push(word.toLowerCase().slice(0, WORD_CHARS));
    return;
  }
  const parts = word
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .filter((part) => part !== '');
  for (const part of parts) words.push(part.slice(0, WORD_CHARS));
  if (parts.length > 1) words.push(parts.join('').slice(0, WORD_CHARS));
}

/** The line of a passage with most of the words, cut for display. Pure. */
export function snippetOf(passage: string, asked: ReadonlySet<string>): string {
  let best = '';
  let most = -1;
  for (const line of passage.split('\n')) {
    const found = new Set(wordsIn(line).filter((word) => asked.has(word))).size;
    if (found > most && line.trim() !== '') [best, most] = [line.trim(), found];
  }
  return best.length <= 240 ? best : `${best.slice(0, 239).toWellFormed()}…`;
}

/** A word as a number, for indexes over numbers: FNV-1a, 32 bits with a sign. Pure. */
export function wordHash(word: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return hash | 0;
}
