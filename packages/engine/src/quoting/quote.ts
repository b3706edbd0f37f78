import { handleOf, type Revisions, runHandles } from '../handles/handles.ts';
import { maskSecrets } from '../secrets/secrets.ts';
import { plainLine, plainLines } from './plain-lines.ts';
import { sliceText } from './slice.ts';

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
