/** The kind of a name; each has a heading in a note. */
export type NameKind = 'path' | 'name' | 'number' | 'hash';

/** `at` is the place in the text; undefined for a part of joined words. */
type Found = (name: string, kind: NameKind, at?: number) => void;

const LONGEST = 160;
/** Bits of a character's class. */
const WORD = 1;
const JOINT = 2;
const MARKED = 4;

const EXTENSION = /^[a-z]{1,5}$/i;
/** Endings of files. Other dotted names are attributes, methods and hosts: `self.vocab`, `err.Error`, `example.com`. */
const FILE_ENDING =
  /^(?:[ch]|cc|[ch]pp|cs|s?css|less|csv|tsv|db|diff|patch|go|x?html?|ini|ipynb|jar|java|jpe?g|png|gif|svg|ico|pdf|[cm]?[jt]sx?|jsonl?|kts?|lock|log|lua|mdx?|php|pl|proto|pyi?|rb?|rs|rst|[bz]a?sh|sh|sql|svelte|swift|tf|toml|txt|vue|xml|ya?ml|zip|gz|tgz|whl|exe|dll|bat|cfg|conf|crt|pem|exs?|wasm|docx|xlsx)$/i;

/** Letters, digits and `_` form words; `.`, `/`, `-`, `@`, `~` join them. Plain lowercase words are not names, so the rest is marked. */
const CLASS = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code);
  CLASS[code] = /[a-z]/.test(character)
    ? WORD
    : /\w/.test(character)
      ? WORD | MARKED
      : './-@~'.includes(character)
        ? JOINT
        : 0;
}

/**
 * Calls back for everything that an agent may have to repeat exactly: paths, file names, identifiers of several parts, hashes,
 * numbers of four digits and more, also behind capitals. In order, with repetitions. It reads all folded text, so plain words cost no allocation.
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
    let kinds = 0;
    while (kind !== 0) {
      kinds |= kind;
      i++;
      kind = i < length ? classAt(text, i) : 0;
    }
    if (kinds === WORD) continue;
    const from = start + leftover(text, start);
    if (i - from <= 3) continue;
    if (!(kinds & JOINT)) word(text, from, i, found);
    else if (text.startsWith('//', from)) i = address(text, from, i, found);
    else run(text.slice(from, i), text[i] === '(', found);
  }
}

/** What an escape, a terminal's colour or a closing tag leaves at the start of a run, and dashes. */
const LEFTOVER =
  /(?:(?<=\\)(?:[ntrb]|u[\da-fA-F]{4}|x[\da-fA-F]{2})|(?<=%)[2-7C-E][\dA-F]|(?<=(?:1[bB]|33|[^\w\s])\[[\d;]{0,12})\d{1,3}m)?(?:(?<=<|&lt;|[ux](?:00)?3[cC])\/[\w-]*)?-*/y;
/** A path of Windows up to a backslash: there, a letter follows that begins no escape. */
const WINDOWS = /(?:\b[A-Za-z]:\\|\\[^\W_\dntrbux])[^\s"'<>|]*\\$/;
const WINDOWS_CHARS = 100;
const ADDRESS = /(?<=(https?:))[\w./@~-]+(?::\d[\w./@~-]*)?/y;

/**
 * How many characters at the start of a run are no part of a name: `\nFiles`, also in JSON that was cut off or escaped twice,
 * `\u003c/details`, `%2Fadmin`.
 */
function leftover(text: string, start: number): number {
  if (text[start - 1] === '\\' && WINDOWS.test(text.slice(Math.max(0, start - WINDOWS_CHARS), start))) return 0;
  LEFTOVER.lastIndex = start;
  return LEFTOVER.exec(text)?.[0].length ?? 0;
}

/** An address with its scheme and port; without a scheme, the slashes begin a comment. Returns where it ends. */
function address(text: string, start: number, end: number, found: Found): number {
  ADDRESS.lastIndex = start;
  const [rest, scheme = ''] = ADDRESS.exec(text) ?? [];
  if (rest === undefined) run(text.slice(start, end).replace(/^\/+/, ''), text[end] === '(', found);
  else run(scheme + rest, false, found);
  return rest === undefined ? end : start + rest.length;
}

function classAt(text: string, i: number): number {
  const code = text.charCodeAt(i);
  return code < 128 ? (CLASS[code] as number) : 0;
}

/** Joined words: a path if there is a slash, otherwise a dotted name at the end (`index.ts`, `err.Error`), and the words. `called`: arguments follow. */
function run(text: string, called: boolean, found: Found): void {
  let end = text.length;
  while (end > 0 && classAt(text, end - 1) === JOINT) end--;
  // Go's pattern for all packages below a folder.
  if (text.endsWith('/...')) end = text.length;
  if (text.lastIndexOf('/', end - 1) >= 0) {
    if (end > 3 && end <= LONGEST) found(text.slice(0, end), 'path');
    return;
  }
  const dot = text.lastIndexOf('.', end - 1);
  if (dot <= 0 || !EXTENSION.test(text.slice(dot + 1, end))) {
    words(text, end, found);
    return;
  }
  const isFile = !called && FILE_ENDING.test(text.slice(dot + 1, end));
  const before = dot - 1;
  const from =
    1 +
    Math.max(isFile ? -1 : text.lastIndexOf('.', before), text.lastIndexOf('@', before), text.lastIndexOf('~', before));
  if (from < dot && end - from > 3 && end - from <= LONGEST) found(text.slice(from, end), isFile ? 'path' : 'name');
  words(text, from, found);
}

function words(text: string, end: number, found: Found): void {
  const bare: Found = (name, kind) => found(name, kind);
  let from = 0;
  for (let i = 0; i <= end; i++) {
    if (i < end && classAt(text, i) & WORD) continue;
    if (i - from > 3) word(text, from, i, bare);
    from = i + 1;
  }
}

/** A word is a name if it has a seam (`snake_case`, `camelCase`), is a hash, or is a number of four digits and more, such as `7731` or `W7731`. */
function word(text: string, start: number, end: number, found: Found): void {
  const length = end - start;
  if (length > LONGEST) return;
  let digits = 0;
  let capitals = 0;
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
      capitals++;
      if (i > start && (before >= 97 || before <= 57)) seam = true;
    } else if (code > 102) hex = false;
    before = code;
  }
  const isHash = hex && digits > 0 && length >= 7 && length <= 40;
  // `W7731` is the number of an order.
  const isNumber = digits === length || (digits >= 4 && before <= 57 && digits + capitals === length && !seam);
  // No identifier starts with a digit: `18T04` is part of a time, `137B` a size.
  const isName = seam && (text.charCodeAt(start) > 57 || text.slice(start, end).includes('_'));
  const kind = isNumber ? 'number' : isName ? 'name' : isHash && 'hash';
  if (kind) found(text.slice(start, end), kind, start);
}
