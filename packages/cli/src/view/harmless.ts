import { stripVTControlCharacters } from 'node:util';

/**
 * Characters that control a terminal or disguise a text: controls except line feeds and tabs, line separators, bidirectional
 * marks and invisible characters. Joiners of letters and emoji are allowed.
 */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Removes everything that could affect a terminal; keeps lines and tabs. Pure. */
export function harmless(text: string): string {
  if (text.search(UNSAFE) < 0) return text;
  return stripVTControlCharacters(text.replace(/\r\n/g, '\n')).replace(UNSAFE, '');
}

/** Shows what could affect a terminal or hide in a text by its number, such as <U+202E>; keeps lines and tabs. Pure. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (found) => `<U+${codeOf(found)}>`);
}

function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** Escapes what could affect a terminal, of which JSON itself escapes only some; the value stays the same. Pure. */
export function harmlessJson(json: string): string {
  return json.replace(UNSAFE, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

/** A value as one line of JSON that cannot affect a terminal. Pure. */
export function jsonLine(value: unknown): string {
  return harmlessJson(JSON.stringify(value));
}

/** The same, indented for people. Pure. */
export function jsonText(value: unknown): string {
  return harmlessJson(JSON.stringify(value, null, 2));
}
