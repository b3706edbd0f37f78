import { stripVTControlCharacters } from 'node:util';

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;
// Invisible, joining and bidirectional marks: terminals disagree on their width, and a line that turns out wider than
// expected breaks the drawing.
const UNSEEN = /\p{Cf}|\p{Variation_Selector}|\p{Emoji_Modifier}/gu;
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu;
const FLAG_LETTERS = /[\u{1f1e6}-\u{1f1ff}]/gu;
const ODD = /[\p{Cs}\p{Co}\p{Cn}]/gu;

/** Text from a tool or a model as one line that cannot affect a terminal. Pure. */
export function clean(text: string): string {
  return stripVTControlCharacters(text)
    .replace(BREAKS, ' ')
    .replace(CONTROLS, '')
    .replace(UNSEEN, '')
    .replace(PILED_MARKS, '$1')
    .replace(FLAG_LETTERS, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) - 0x1f1e6 + 65))
    .replace(ODD, '\ufffd');
}

/** A word for a shell command line, quoted if necessary. Pure. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
