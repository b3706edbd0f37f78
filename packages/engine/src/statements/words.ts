/** The words of a sentence, lowercase and without accents. */
export interface Words {
  readonly words: readonly string[];
  /** Where each word starts in the sentence. */
  readonly starts: readonly number[];
  /** How many of them are names: code, paths, identifiers, numbers, proper nouns. */
  readonly names: number;
}

/** Classes of characters. */
const SPACE = 1;
const LOWER = 2;
const UPPER = 4;
/** Digits and `_`: a word with one of them is a name. */
const DIGIT = 8;
/** Between the parts of a word or a name. */
const JOINT = 16;
/** Characters of scripts without spaces: each is a word. */
const UNSPACED = 32;
/** Commas, colons, dashes: words too. */
const MARK = 64;
const IN_WORD = LOWER | UPPER | DIGIT | JOINT;

const classes = new Uint8Array(65_536);

function classAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  const known = classes[code] ?? SPACE;
  if (known !== 0) return known;
  const found = classOf(String.fromCharCode(code));
  classes[code] = found;
  return found;
}

function classOf(character: string): number {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u.test(character)) return UNSPACED;
  if (/\p{Lu}/u.test(character)) return UPPER;
  if (/[\p{L}\p{M}]/u.test(character)) return LOWER;
  if (/[\p{N}_]/u.test(character)) return DIGIT;
  if (/[$#@~/\\.'’+-]/.test(character)) return JOINT;
  return /[,:，、：–—]/.test(character) ? MARK : SPACE;
}

/** Slashes and the like make a name of a word, and so do dots inside, capitals inside, and words of capitals. */
const NAME = /[/\\@]|[^.]\.[^.]|\p{Ll}\p{Lu}|\p{Lu}{3}/u;
const ACCENTS = /\p{M}/gu;
/** What follows an apostrophe in English, written out. */
const CONTRACTED: ReadonlyMap<string, string> = new Map(
  Object.entries({ t: 'not', s: 'is', re: 'are', ll: 'will', ve: 'have', d: 'would', m: 'am' }),
);
/** Negations as they are typed in haste, `cannot`, and what an apostrophe leaves of negated verbs. */
const NEGATED = /^(do|does|did|is|are|was|were|ca|wo|should|would|could|has|have|had)nt$|^(can)not$/;
const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['ca', 'can'],
  ['wo', 'will'],
]);
/** Longer words are data. */
const LONGEST = 60;
/** Stands for code, addresses and data. */
const DATA = '`';

/** The words of a sentence, in order; a comma, dash or colon is a word, too. Pure. */
export function wordsOf(sentence: string): Words {
  const words: string[] = [];
  const starts: number[] = [];
  let names = 0;
  const add = (word: string, at: number) => {
    words.push(word);
    starts.push(at);
  };
  const { length } = sentence;
  for (let i = 0; i < length; i++) {
    const first = classAt(sentence, i);
    if (first === SPACE) {
      const close = sentence[i] === '`' ? sentence.indexOf('`', i + 1) : -1;
      if (close < 0) continue;
      add(DATA, i);
      names++;
      i = close;
    } else if (first === MARK) add(/[:：]/.test(sentence[i] ?? '') ? ':' : ',', i);
    else if (first === UNSPACED) add(sentence[i] ?? '', i);
    else {
      const begin = i;
      let start = i;
      let seen = 0;
      for (let next = first; next & IN_WORD; next = i < length ? classAt(sentence, i) : SPACE) {
        seen |= next;
        i++;
      }
      let end = i;
      if (sentence.startsWith('://', end)) {
        while (i < length && sentence[i] !== ' ') i++;
        seen = DIGIT;
        end = i;
      }
      i--;
      while (start < end && classAt(sentence, start) === JOINT) start++;
      while (end > start && classAt(sentence, end - 1) === JOINT) end--;
      if (start === end) continue;
      // A call `open()`, a flag `--all`, a handle `@team`.
      const marked = sentence[end] === '(' || /^(?:-+|[@#$])$/.test(sentence.slice(begin, start));
      const word = sentence.slice(start, end);
      if (seen === LOWER && !marked && !/n[ot]t$/.test(word)) add(plain(word), start);
      else if (end - start > LONGEST || marked || seen & DIGIT || NAME.test(word)) {
        add(end - start > LONGEST ? DATA : word.toLowerCase(), start);
        names++;
      } else {
        // A capital inside a sentence; one letter is `I` or an initial.
        if (words.length > 0 && classAt(sentence, start) === UPPER && classAt(sentence, start + 1) === LOWER) names++;
        addParts(word, start, add);
      }
    }
  }
  return { words, starts, names };
}

/** Adds the parts of a word with hyphens or apostrophes. */
function addParts(word: string, at: number, add: (word: string, at: number) => void): void {
  let from = 0;
  for (let i = 0; i <= word.length; i++) {
    if (i < word.length && classAt(word, i) !== JOINT) continue;
    const part = plain(word.slice(from, i));
    const [, verb, can] = NEGATED.exec(part) ?? [];
    const negated = verb ?? can ?? (/^['’]t$/i.test(word.slice(i)) ? part.slice(0, -1) : undefined);
    if (negated !== undefined) add(IRREGULAR.get(negated) ?? negated, at + from);
    if (verb !== undefined || can !== undefined) add('not', at + from);
    else if (negated === undefined && part !== '')
      add((from > 0 && isApostrophe(word[from - 1]) && CONTRACTED.get(part)) || part, at + from);
    from = i + 1;
  }
}

function isApostrophe(character: string | undefined): boolean {
  return character === "'" || character === '’';
}

/** Lowercase, without accents: many people leave them out. */
export function plain(word: string): string {
  const lower = word.toLowerCase();
  return /^[a-z]*$/.test(lower) ? lower : lower.normalize('NFD').replace(ACCENTS, '').normalize('NFC');
}
