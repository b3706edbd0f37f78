import type { Dialect } from './dialect.ts';
import { type Piece, pieceTexts } from './piece.ts';

/** A word of a focus: whether a text in lower case speaks of it. */
type Mentions = (text: string) => boolean;

/**
 * The words of a focus that turns are looked through for: all of three characters and more, and of two that are no plain
 * small word, such as f3, C#, UI or two ideographs. Pure.
 */
export function focusWords(focus: string): readonly Mentions[] {
  const words = focus.match(/[\p{L}\p{N}_./#+-]+/gu) ?? [];
  return words.flatMap((given) => {
    const word = given.replace(/[./-]+$/, '');
    if (word.length < 2 || /^[A-Za-z][a-z]$/.test(word)) return [];
    return mentions(word.toLowerCase());
  });
}

/** Two letters stand in many words, so they count only as a word of their own. */
function mentions(word: string): Mentions {
  if (word.length > 2 || /[^ -~]/.test(word)) return (text) => text.includes(word);
  const pattern = new RegExp(`(?<!\\w)${word.replace(/\W/g, '\\$&')}(?!\\w)`);
  return (text) => pattern.test(text);
}

/** How many of the words a turn speaks of. */
export function focusOf<M>(dialect: Dialect<M>, piece: Piece<M>, words: readonly Mentions[]): number {
  if (words.length === 0) return 0;
  const text = pieceTexts(dialect, piece).join('\n').toLowerCase();
  return words.filter((mentions) => mentions(text)).length;
}
