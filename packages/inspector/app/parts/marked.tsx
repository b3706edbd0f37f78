import { plain } from './plain.ts';

/** A text in which the words of a search are marked. */
export function Marked({ text, words }: { readonly text: string; readonly words: string }) {
  const wanted = words.match(/[\p{L}\p{N}_]+/gu) ?? [];
  const shown = plain(text);
  if (wanted.length === 0) return <>{shown}</>;
  // Words contain no characters that are special in a pattern.
  const parts = shown.split(new RegExp(`(${wanted.join('|')})`, 'giu'));
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}</>;
}
