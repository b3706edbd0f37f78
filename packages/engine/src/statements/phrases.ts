import { plain, wordsOf } from './words.ts';

/** A phrase that was found, and the index of its first word. */
export type Found<T> = (meaning: T, at: number) => void;

interface Node<T> {
  readonly words: Map<string, Node<T>>;
  /** By the first letters of the stem. */
  readonly stems: Map<string, [stem: string, node: Node<T>][]>;
  gap?: Node<T>;
  readonly meanings: T[];
}

const STEM_LETTERS = 3;
/** Most words that `..` stands for. */
const GAP = 4;

/** The phrases that start somewhere, by their first word; they are read when that word first occurs. */
interface Openings<T> {
  readonly root: Node<T>;
  readonly words: Map<string, [phrase: string, meaning: T][]>;
  /** By the first letters of the stem. */
  readonly stems: Map<string, [phrase: string, meaning: T][]>;
}

/** Finds phrases in sentences. The time depends on the number of words alone, not on that of phrases. */
export class Phrases<T> {
  readonly #anywhere: Openings<T> = noOpenings();
  readonly #atStart: Openings<T> = noOpenings();

  /** Adds phrases, separated by `|`, in the notation of `Language`. */
  add(phrases: string, meaning: T): void {
    for (const phrase of phrases.split('|').map((one) => one.trim())) {
      if (phrase === '') continue;
      if (phrase.startsWith('^')) addOpening(this.#atStart, phrase.slice(1), meaning);
      else addOpening(this.#anywhere, phrase, meaning);
    }
  }

  /** Calls back for every phrase in the words, in order of its start; `first`: the word with which the sentence itself starts. */
  find(words: readonly string[], first: number, found: Found<T>): void {
    for (const start of new Set([0, first])) findAt(this.#atStart, words, start, found);
    for (let i = 0; i < words.length; i++) findAt(this.#anywhere, words, i, found);
  }
}

function addOpening<T>({ words, stems }: Openings<T>, phrase: string, meaning: T): void {
  const [piece = ''] = phrase.split(' ', 1);
  const isStem = piece.endsWith('*');
  const openings = isStem ? stems : words;
  const key = isStem ? plain(piece.slice(0, -1)).slice(0, STEM_LETTERS) : firstWord(piece);
  const known = openings.get(key);
  if (known) known.push([phrase, meaning]);
  else openings.set(key, [[phrase, meaning]]);
}

function firstWord(piece: string): string {
  return /^[a-z]+$/.test(piece) ? piece : (wordsOf(piece).words[0] ?? '');
}

function findAt<T>({ root, words: opening, stems }: Openings<T>, words: readonly string[], i: number, found: Found<T>) {
  const word = words[i];
  if (word === undefined) return;
  read(root, opening, word);
  read(root, stems, word.slice(0, STEM_LETTERS));
  walk(root, words, i, i, found);
}

function read<T>(root: Node<T>, openings: Map<string, [string, T][]>, key: string): void {
  const unread = openings.get(key);
  if (unread === undefined) return;
  openings.delete(key);
  for (const [phrase, meaning] of unread) addPhrase(root, phrase, meaning);
}

function addPhrase<T>(root: Node<T>, phrase: string, meaning: T): void {
  let node = root;
  for (const piece of phrase.split(/\s+/)) {
    if (piece === '..') node = node.gap ??= emptyNode();
    else if (piece.endsWith('*')) node = stemNode(node, plain(piece.slice(0, -1)));
    else for (const word of wordsOf(piece).words) node = wordNode(node, word);
  }
  node.meanings.push(meaning);
}

function noOpenings<T>(): Openings<T> {
  return { root: emptyNode(), words: new Map(), stems: new Map() };
}

function walk<T>(node: Node<T>, words: readonly string[], start: number, i: number, found: Found<T>): void {
  for (const meaning of node.meanings) found(meaning, start);
  const word = words[i];
  if (word === undefined) return;
  const next = node.words.get(word);
  if (next) walk(next, words, start, i + 1, found);
  const stems = node.stems.size > 0 ? node.stems.get(word.slice(0, STEM_LETTERS)) : undefined;
  if (stems) for (const [stem, after] of stems) if (word.startsWith(stem)) walk(after, words, start, i + 1, found);
  if (node.gap) for (let k = 0; k <= GAP; k++) walk(node.gap, words, start, i + k, found);
}

function emptyNode<T>(): Node<T> {
  return { words: new Map(), stems: new Map(), meanings: [] };
}

function wordNode<T>(node: Node<T>, word: string): Node<T> {
  const next = node.words.get(word) ?? emptyNode<T>();
  node.words.set(word, next);
  return next;
}

function stemNode<T>(node: Node<T>, stem: string): Node<T> {
  const key = stem.slice(0, STEM_LETTERS);
  const stems = node.stems.get(key) ?? [];
  node.stems.set(key, stems);
  const known = stems.find(([one]) => one === stem);
  if (known) return known[1];
  const next = emptyNode<T>();
  stems.push([stem, next]);
  return next;
}
