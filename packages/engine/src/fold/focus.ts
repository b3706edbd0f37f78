import type { Dialect } from '../dialect.ts';
import { turnTexts, type ViewTurn } from '../view/view-turn.ts';

/** A word of a focus: true if a text in lower case mentions it. */
type Mentions = (text: string) => boolean;

/** Every turn is searched for each word of a focus. No measurement supports the figure. */
const MOST_WORDS = 100;

/**
 * The words of a focus to search for: those of three characters and more, and of two unless they are a plain lowercase word, such as
 * f3, C#, UI or two ideographs. At most the first hundred. Pure.
 */
export function focusWords(focus: string): readonly Mentions[] {
  const words = new Set<string>();
  for (const [given] of focus.matchAll(/[\p{L}\p{N}_./#+-]+/gu)) {
    const word = withoutEnd(given);
    if (word.length < 2 || /^[A-Za-z][a-z]$/.test(word)) continue;
    words.add(word.toLowerCase());
    if (words.size === MOST_WORDS) break;
  }
  return [...words].map(mentions);
}

/** Strips dots, slashes and dashes at the end. A pattern would be quadratic in a long run of them. */
function withoutEnd(word: string): string {
  let end = word.length;
  while (end > 0 && './-'.includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

/** Two letters are part of many words, so they must be a word of their own. */
function mentions(word: string): Mentions {
  if (word.length > 2 || /[^ -~]/.test(word)) return (text) => text.includes(word);
  const pattern = new RegExp(`(?<!\\w)${word.replace(/\W/g, '\\$&')}(?!\\w)`);
  return (text) => pattern.test(text);
}

/** How many of the words a turn mentions. */
export function focusOf<M>(dialect: Dialect<M>, turn: ViewTurn<M>, words: readonly Mentions[]): number {
  if (words.length === 0) return 0;
  const text = turnTexts(dialect, turn).join('\n').toLowerCase();
  return words.filter((mentions) => mentions(text)).length;
}
