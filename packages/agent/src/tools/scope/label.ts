/** What a heading, or a word before a colon, says about the paths that follow. */
export interface Label {
  readonly list: 'allowed' | 'forbidden';
  /** It applies to all its entries. */
  readonly readOnly: boolean;
  /** The rest of the line. */
  readonly rest: string;
}

const FORBIDDEN =
  "forbidden|out[- ]of[- ]scope|off[- ]limits|not (?:allowed|permitted|in[- ]scope)|disallowed|prohibited|excluded|(?:do not|don['’]t) (?:touch|change|edit|modify|write|read)|read[- ]only";
const ALLOWED = 'allowed|in[- ]scope|permitted';
const NOUN = '(?:files?|paths?|folders?|directories|areas?|changes|list)';
const exactly = (words: string) => new RegExp(`^(?:${NOUN} )?(?:${words})(?: ${NOUN})*$`);
const somewhere = (words: string) => new RegExp(`\\b(?:${words})\\b`);
const EXACT = { forbidden: exactly(FORBIDDEN), allowed: exactly(ALLOWED) };
const LOOSE = { forbidden: somewhere(FORBIDDEN), allowed: somewhere(ALLOWED) };

/** True if a heading starts the scope of a task. Pure. */
export function isScopeHeading(heading: string): boolean {
  const words = wordsOf(heading);
  return /^(?:\w+ )?scope\b/.test(words) && !LOOSE.forbidden.test(words) && !LOOSE.allowed.test(words);
}

/** Reads a heading: "Forbidden", "Files out of scope (read-only)", "Forbidden: src/a.ts". `loose`: the word may be anywhere. Pure. */
export function headingLabel(heading: string, loose: boolean): Label | undefined {
  const whole = labelled(heading, '', EXACT);
  return whole ?? lineLabel(heading) ?? (loose ? labelled(heading, '', LOOSE) : undefined);
}

/** Reads a line that starts with a label: "**Forbidden**: src/a.ts", "Allowed:", "Forbidden". Pure. */
export function lineLabel(line: string): Label | undefined {
  const bold = /^(\*\*|__)(.+?)\1\s*:?\s*(.*)$/.exec(line);
  if (bold) return labelled(bold[2] ?? '', bold[3] ?? '', EXACT);
  const before = /^([^:`/]{3,40}):\s*(.*)$/.exec(line);
  if (before) return labelled(before[1] ?? '', before[2] ?? '', EXACT);
  return /^(?:allowed|forbidden)$/i.test(line) ? labelled(line, '', EXACT) : undefined;
}

function labelled(text: string, rest: string, by: typeof EXACT): Label | undefined {
  const words = wordsOf(text);
  const list = by.forbidden.test(words) ? 'forbidden' : by.allowed.test(words) ? 'allowed' : undefined;
  return list && { list, readOnly: /\bread[- ]only\b/i.test(text), rest: rest.replace(/^[—–-]\s+/, '').trim() };
}

/** Lower case, without numbering, remarks, emphasis and emoji. */
function wordsOf(text: string): string {
  return text
    .replace(/\(.*?\)/g, ' ')
    .replace(/[*_`~]|\p{Extended_Pictographic}|\ufe0f/gu, ' ')
    .replace(/^\s*\d[\d.]*[.)]?\s/, ' ')
    .replace(/:\s*$/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}
