import { ToolFailure } from '../failure.ts';

const MOST_FORMS = 200;
const TOKEN = /\*|\?|\[[!^]?\]?[^\]]*\]|[\s\S]/gu;

/** True if a path matches a pattern; both use `/`. */
export type Match = (path: string) => boolean;

/**
 * Compiles a pattern: `*` and `?` inside a name, `**` for any number of folders, `[a-z]`, `{a,b}`. A plain path, or one that
 * ends in `/`, also matches everything below it; with `below` every pattern does. Uses no regular expression, so the time is
 * at most pattern length times path length. Throws RangeError for too many alternatives.
 */
export function glob(pattern: string, below = !/[*?[]|\{.*,/.test(pattern) || pattern.endsWith('/')): Match {
  const forms = braces(pattern).map(tokensOf);
  return (path) => forms.some((tokens) => fits(tokens, path, below));
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
  for (let at = pattern.indexOf('{'); at >= 0; at = pattern.indexOf('{', at + 1)) {
    const end = closing(pattern, at);
    if (end < 0) continue;
    const choices = alternatives(pattern.slice(at + 1, end)).flatMap(braces);
    const rests = braces(pattern.slice(end + 1));
    if (choices.length * rests.length > MOST_FORMS) throw new RangeError(`over ${MOST_FORMS} alternatives in {…}`);
    return choices.flatMap((choice) => rests.map((rest) => pattern.slice(0, at) + choice + rest));
  }
  return [pattern];
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

/** `**`, `*`, `?`, `[…]` or a character; each name ends with `/`. */
function tokensOf(form: string): string[] {
  const parts = form.split('/').filter((part) => part !== '' && part !== '.');
  return parts.flatMap((part) =>
    part === '**' ? part : [...part.matchAll(TOKEN)].map(([token]) => token).concat('/'),
  );
}

/** Follows all ways through the tokens at the same time; a state is the index of the next token. */
function fits(tokens: readonly string[], path: string, below: boolean): boolean {
  let states = new Set([0]);
  let isStart = true;
  // Both also match nothing. The loop also visits what it adds.
  const skipStars = () => {
    for (const state of states) if (tokens[state] === '*' || (isStart && tokens[state] === '**')) states.add(state + 1);
  };
  for (const character of `${path}/`) {
    skipStars();
    if (below && isStart && states.has(tokens.length)) return true;
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state] ?? '';
      if (token === '**' || (token === '*' && character !== '/')) next.add(state);
      else if (oneFits(token, character)) next.add(state + 1);
    }
    states = next;
    isStart = character === '/';
  }
  skipStars();
  return states.has(tokens.length);
}

function oneFits(token: string, character: string): boolean {
  if (token === '?') return character !== '/';
  if (character === '/' || token.length < 3 || !token.startsWith('[')) return token === character;
  const [, negated, set = ''] = /^\[([!^]?)(.*)\]$/su.exec(token) ?? [];
  const found = [...set.matchAll(/(.)-(.)|./gsu)].some(([one, low, high]) =>
    low !== undefined && high !== undefined ? low <= character && character <= high : one === character,
  );
  return found === (negated === '');
}
