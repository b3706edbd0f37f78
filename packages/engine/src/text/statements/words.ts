/** The words of a sentence, lowercase and without accents. */
export interface Words {
  readonly words: readonly string[];
  /** Where each word starts in the sentence. */
  readonly starts: readonly number[];
  /** How many of them are names: code, paths, identifiers, numbers, proper nouns. */
  readonly names: number;
}

/** Code, addresses, characters of scripts without spaces, words with what joins them, the punctuation that phrases may contain. */
const TOKEN =
  /`[^`\n]+`|https?:\/\/\S+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]|[\p{L}\p{M}\p{N}_$#@~/\\.'’+-]+|[,:，、：*]|[–—]/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/u;
const EDGES = /^[$#@~\\.'’+/-]*|[@~\\.'’+/-]*$/g;
const NAME = /\d|_|[/\\@]|[^.]\.[^.]|\p{Ll}\p{Lu}|\p{Lu}{3}/u;
const PART = /[\p{L}\p{M}]+/gu;
const PROPER = /^\p{Lu}\p{L}/u;
const ACCENTS = /\p{M}/gu;
const MARKS: Readonly<Record<string, string>> = { '，': ',', '、': ',', '：': ':', '–': ',', '—': ',' };
/** What follows an apostrophe in English, written out. */
const CONTRACTED: Readonly<Record<string, string>> = {
  s: 'is',
  re: 'are',
  ll: 'will',
  ve: 'have',
  d: 'would',
  m: 'am',
};
const NEGATED: Readonly<Record<string, string>> = { ca: 'can', wo: 'will', sha: 'shall' };
/** Negations as they are typed in haste. */
const HASTY = /^(do|does|did|is|are|was|were|ca|wo|should|would|could|has|have|had)nt$/;
/** Longer words are data. */
const LONGEST = 60;

/** The words of a sentence, in order; a colon or comma is a word, a pattern's `*`, `^` and `..` are kept. Pure. */
export function wordsOf(sentence: string): Words {
  const words: string[] = [];
  const starts: number[] = [];
  let names = 0;
  const add = (word: string, at: number) => {
    words.push(word);
    starts.push(at);
  };
  for (const { 0: token, index } of sentence.matchAll(TOKEN)) {
    const mark = MARKS[token] ?? token;
    if (mark === '*') continue;
    if (mark === ',' || mark === ':' || UNSPACED.test(token)) add(mark, index);
    else if (token.length > LONGEST || token.startsWith('`') || token.includes('://')) {
      names++;
      add('`', index);
    } else {
      const bare = token.replace(EDGES, '');
      if (NAME.test(bare)) {
        names++;
        add(bare.toLowerCase(), index);
      } else {
        if (index > 0 && words.length > 0 && PROPER.test(bare)) names++;
        for (const part of bare.matchAll(PART))
          addWord(part[0], bare, part.index, (word) => add(word, index + part.index));
      }
    }
  }
  return { words, starts, names };
}

function addWord(part: string, whole: string, at: number, add: (word: string) => void): void {
  const word = plain(part);
  const apostrophe = at > 0 && (whole[at - 1] === "'" || whole[at - 1] === '’');
  const [, hasty] = HASTY.exec(word) ?? [];
  if (hasty !== undefined) {
    add(NEGATED[hasty] ?? hasty);
    add('not');
  } else if (apostrophe && word === 't') add('not');
  else if (apostrophe && CONTRACTED[word] !== undefined) add(CONTRACTED[word]);
  else if (/^['’]t$/i.test(whole.slice(at + part.length)) && word.endsWith('n')) {
    const verb = word.slice(0, -1);
    add(NEGATED[verb] ?? verb);
  } else if (word === 'cannot') {
    add('can');
    add('not');
  } else add(word);
}

/** Lowercase, without accents: many people leave them out. */
export function plain(word: string): string {
  const lower = word.toLowerCase();
  return /^[a-z]*$/.test(lower) ? lower : lower.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
}
