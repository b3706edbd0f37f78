import { sliceText } from '../content.ts';
import { handleOf, type Revisions, runHandles } from './handles.ts';
import { maskSecrets } from './secrets.ts';

declare const NOTE_PART: unique symbol;

/** Text that is safe in a note: the engine's own words or a quotation. Only this file makes it, so the compiler refuses others. */
export type NotePart = string & { readonly [NOTE_PART]: true };

/** The engine's own words from its source, around numbers and other parts. */
export function own(words: TemplateStringsArray, ...parts: readonly (number | NotePart)[]): NotePart {
  return words.reduce((text, next, i) => text + parts[i - 1] + next) as NotePart;
}

/** Parts in one line, separated by commas. */
export function joinParts(parts: readonly NotePart[]): NotePart {
  return parts.join(', ') as NotePart;
}

/** The handle of a message, or of one of its results. */
export function handlePart(at: number, revisions: Revisions, part?: number): NotePart {
  return handleOf(at, revisions, part) as NotePart;
}

/** The handles of a run of messages. */
export function runParts(from: number, to: number, revisions: Revisions): NotePart[] {
  return runHandles(from, to, revisions) as NotePart[];
}

/** A strategy's own wording: unquoted, because the caller chose that code, but on one line. */
export function strategyWords(words: string): NotePart {
  return plainLine(words) as NotePart;
}

/** The caller's own words in the first lines of a note: on one line, without the brackets that end such a line. */
export function callerWords(words: string): NotePart {
  return plainLine(words).replaceAll('[', '(').replaceAll(']', ')') as NotePart;
}

/** Characters that look like the closing quotation mark. */
const MARKS = /["“”„‟〝〞〟＂″‶❝❞❠ʺ˝ˮ˵˶״〃«»\u{1f676}-\u{1f678}]/gu;

/** A foreign text as one line in quotation marks that nothing inside can close. Pure. */
export function quoted(text: string): NotePart {
  return `"${maskSecrets(plainLine(text)).replace(MARKS, "'")}"` as NotePart;
}

/** A foreign text with `> ` before each line, cut to so many characters, at a line end if one is near. Pure. */
export function quotedLines(text: string, room: number): NotePart {
  let out = '';
  for (const line of maskSecrets(plainLines(text).join('\n')).replaceAll('\t', ' ').split('\n')) {
    const next = line === '' ? '\n>' : `\n> ${line}`;
    const left = room - out.length;
    if (next.length > left) return `${out}${left > room / 2 ? sliceText(next, 0, left - 1) : ''}…` as NotePart;
    out += next;
  }
  return out as NotePart;
}

/** Most characters of a word that is left out rather than cut. */
const LONGEST_WORD = 40;

/** The text in at most so many characters, cut where a word ends if one ends near there. Pure. */
export function shortened(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const part = sliceText(text, 0, chars - 1);
  const space = part.lastIndexOf(' ');
  const isInside = text[part.length] !== ' ' && part.length - space <= Math.min(LONGEST_WORD, chars / 3);
  return `${(isInside ? part.slice(0, space) : part).trimEnd()}…`;
}

/** Terminal escapes, such as colours. */
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-?]{0,40}[@-~]`, 'g');
/** Everything that some reader treats as a line end. */
const LINE_END = /\r\n|[\n\r\v\f\u{85}\u2028\u2029]/u;
/** Invisible characters: zero-width, directional, tags, fillers, half pairs. */
const UNSEEN = /[\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;
const CONTROLS = /(?!\t)\p{Cc}/gu;
const SPACES = /[\s\p{Cc}\u2800]+/gu;
/** Accents that would attach to whatever comes before the text. */
const FIRST_ACCENTS = /^[\s\p{M}]+/u;

/** The text as one line without invisible characters. Pure and idempotent. */
export function plainLine(text: string): string {
  return text.replace(UNSEEN, '').replace(COLOURS, '').replace(SPACES, ' ').replace(FIRST_ACCENTS, '').trimEnd();
}

/** The lines of a text without invisible characters; tabs stay. Pure. */
export function plainLines(text: string): string[] {
  const lines = text.replace(UNSEEN, '').replace(COLOURS, '').split(LINE_END);
  return lines.map((line) => line.replace(CONTROLS, '').trimEnd());
}
