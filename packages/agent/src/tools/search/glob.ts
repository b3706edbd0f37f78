import { ToolFailure } from '../failure.ts';

const MOST_FORMS = 200;

/** True if a path matches a pattern; both use `/`. */
export type Match = (path: string) => boolean;

/**
 * Compiles a pattern: `*` and `?` inside a name, `**` for any number of folders, `[a-z]`, `{a,b}`. A plain path, or one that
 * ends in `/`, also matches everything below it; with `below` every pattern does. Uses no regular expression, so the time is
 * at most pattern length times path length. Throws RangeError for too many alternatives.
 */
export function glob(pattern: string, below = !/[*?[]|\{.*,/.test(pattern) || pattern.endsWith('/')): Match {
  const forms = braces(pattern).map((form) => form.split('/').filter((part) => part !== '' && part !== '.'));
  return (path) => {
    const names = path.split('/');
    return forms.some((parts) => fits(parts, names, below));
  };
}

/** Compiles a glob; one without `/` matches names at any depth. Throws ToolFailure. */
export function pathMatch(pattern: string | undefined): Match {
  if (pattern === undefined) return () => true;
  try {
    return glob(pattern.includes('/') ? pattern : `**/${pattern}`);
  } catch (error) {
    throw new ToolFailure(`glob ${JSON.stringify(pattern)} is refused`, error);
  }
}

/** `a{b,c}` → `ab`, `ac`. */
function braces(pattern: string): string[] {
  let forms = [''];
  for (let at = 0; at < pattern.length; ) {
    const end = pattern[at] === '{' ? closing(pattern, at) : -1;
    if (end < 0) {
      forms = forms.map((form) => form + pattern[at]);
      at++;
      continue;
    }
    const choices = alternatives(pattern.slice(at + 1, end)).flatMap(braces);
    if (forms.length * choices.length > MOST_FORMS) throw new RangeError(`over ${MOST_FORMS} alternatives in {…}`);
    forms = forms.flatMap((form) => choices.map((choice) => form + choice));
    at = end + 1;
  }
  return forms;
}

function closing(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '{') depth++;
    if (text[at] === '}' && --depth === 0) return at;
  }
  return -1;
}

/** Splits at commas outside of braces. Pure. */
export function alternatives(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '{') depth++;
    if (character === '}') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + character);
  }
  return parts;
}

/** Matches parts against names by dynamic programming: one table row for each part. */
function fits(parts: readonly string[], names: readonly string[], below: boolean): boolean {
  let row = names.map(() => false);
  row.unshift(true);
  for (const part of parts) {
    const next = row.map(() => false);
    for (let at = 0; at < row.length; at++) {
      if (part === '**') next[at] = row[at] === true || next[at - 1] === true;
      else if (at > 0) next[at] = row[at - 1] === true && nameFits(part, names[at - 1] ?? '');
    }
    row = next;
  }
  return below ? row.includes(true) : row.at(-1) === true;
}

/** Matches `*`, `?` and `[…]` against one name. Backtracks to the last `*` only, so it takes quadratic time at most. */
function nameFits(pattern: string, name: string): boolean {
  const tokens = pattern.match(/\*|\?|\[[!^]?\]?[^\]]*\]|[\s\S]/gu) ?? [];
  const characters = [...name];
  let token = 0;
  let at = 0;
  let star = -1;
  let from = 0;
  while (at < characters.length) {
    if (tokens[token] === '*') {
      star = token++;
      from = at;
    } else if (token < tokens.length && oneFits(tokens[token] ?? '', characters[at] ?? '')) {
      token++;
      at++;
    } else if (star >= 0) {
      token = star + 1;
      at = ++from;
    } else return false;
  }
  while (tokens[token] === '*') token++;
  return token === tokens.length;
}

function oneFits(token: string, character: string): boolean {
  if (token === '?') return true;
  if (token.length < 3 || !token.startsWith('[')) return token === character;
  const negated = /^\[[!^]/.test(token);
  const set = [...token.slice(negated ? 2 : 1, -1)];
  let found = false;
  for (let at = 0; at < set.length; at++) {
    const [low = '', dash, high] = set.slice(at, at + 3);
    if (dash === '-' && high !== undefined) {
      found ||= low <= character && character <= high;
      at += 2;
    } else found ||= low === character;
  }
  return found !== negated;
}
