/** What kind of thing a name stands for; the headings of a digest. */
export type NameKind = 'path' | 'name' | 'number' | 'hash';

type Found = (name: string, kind: NameKind) => void;

const LONGEST = 160;
const WORD = 1;
const JOINT = 2;

const EXTENSION = /^[a-z]{1,5}$/i;

/** Which characters a run is made of: letters, digits and `_` are words; `.`, `/`, `-`, `@`, `~` join them. */
const CLASS = new Uint8Array(65_536);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  CLASS[code] = /\w/.test(character) ? WORD : './-@~'.includes(character) ? JOINT : 0;
}

/**
 * Calls back for each thing in the text that an agent may have to repeat exactly: paths and file names, identifiers of
 * several parts, hashes, numbers of four digits and more. Order of appearance, repetitions included. It reads every
 * character of what is folded, so plain words cost no allocation.
 */
export function scanNames(text: string, found: Found): void {
  const { length } = text;
  let i = 0;
  while (i < length) {
    let kind = classAt(text, i);
    if (kind === 0) {
      i++;
      continue;
    }
    const start = i;
    let joined = false;
    while (kind !== 0) {
      if (kind === JOINT) joined = true;
      i++;
      kind = classAt(text, i);
    }
    if (i - start <= 3) continue;
    if (joined) run(text.slice(start, i), found);
    else word(text, start, i, found);
  }
}

/** 0 for all that is no part of a run, and beyond the end. */
function classAt(text: string, i: number): number {
  return CLASS[text.charCodeAt(i)] ?? 0;
}

/** Words with joints: a path if there is a slash, else a dotted name at the end (`index.ts`, `err.Error`), and the words. */
function run(text: string, found: Found): void {
  let end = text.length;
  while (end > 0 && classAt(text, end - 1) === JOINT) end--;
  const whole = text.slice(0, end);
  if (whole.includes('/')) {
    if (end > 3 && end <= LONGEST) found(whole, 'path');
    return;
  }
  const [stem = '', extension = ''] = whole.split(/[.@~]/).slice(-2);
  const name = `${stem}.${extension}`;
  if (stem === '' || !EXTENSION.test(extension) || !whole.endsWith(name)) {
    words(whole, found);
    return;
  }
  if (name.length > 3 && name.length <= LONGEST) found(name, extension === extension.toLowerCase() ? 'path' : 'name');
  words(whole.slice(0, -name.length), found);
}

function words(text: string, found: Found): void {
  for (const part of text.split(/\W/)) if (part.length > 3) word(part, 0, part.length, found);
}

/** A word is a name if it has a seam (`snake_case`, `camelCase`), is a hash, or is a number of four digits and more. */
function word(text: string, start: number, end: number, found: Found): void {
  if (end - start > LONGEST) return;
  let digits = 0;
  let hex = true;
  let seam = false;
  let before = 0;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code <= 57) digits++;
    else if (code === 95) {
      hex = false;
      if (i > start && i < end - 1) seam = true;
    } else if (code <= 90) {
      hex = false;
      if (i > start && (before >= 97 || before <= 57)) seam = true;
    } else if (code > 102) hex = false;
    before = code;
  }
  if (digits === end - start) found(text.slice(start, end), 'number');
  else if (seam) found(text.slice(start, end), 'name');
  else if (hex && digits > 0 && end - start >= 7 && end - start <= 40) found(text.slice(start, end), 'hash');
}
