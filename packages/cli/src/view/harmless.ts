import { stripVTControlCharacters } from 'node:util';

/**
 * What a terminal obeys, or what makes a text look like another: all controls but line feeds and tabs, separators of lines,
 * marks that turn the direction of writing, and characters that cannot be seen. Those that join letters and emoji stay.
 */
const OBEYED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** A text whose lines and tabs stay, without what a terminal would obey. Pure. */
export function harmless(text: string): string {
  if (text.search(OBEYED) < 0) return text;
  return stripVTControlCharacters(text.replace(/\r\n/g, '\n')).replace(OBEYED, '');
}

/** JSON of the same value that a terminal obeys in nothing: JSON itself escapes only some controls. Pure. */
export function harmlessJson(json: string): string {
  return json.replace(OBEYED, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A value as one line that can do nothing to a terminal. Pure. */
export function jsonLine(value: unknown): string {
  return harmlessJson(JSON.stringify(value));
}

/** The same as lines for people. Pure. */
export function jsonText(value: unknown): string {
  return harmlessJson(JSON.stringify(value, null, 2));
}
