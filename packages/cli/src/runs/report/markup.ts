import { maskSecrets } from 'holdfast';
import { harmless } from '../../view/harmless.ts';

/** Text that is safe to put into a page. Only this module makes it. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | false | readonly Part[];

/** A piece of a page: what is put in is escaped, unless it is a piece itself. Pure. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, at) => text + (at < parts.length ? escaped(parts[at]) : '')).join('') };
}

function escaped(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'object') return 'html' in part ? part.html : part.map(escaped).join('');
  return harmless(String(part)).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const MOST_CHARS = 6_000;

/** A text from a tool or a model: without keys, and at most its beginning and end. Pure. */
export function excerpt(text: string, most = MOST_CHARS): string {
  const safe = maskSecrets(text);
  if (safe.length <= most) return safe;
  const half = Math.floor(most / 2);
  return `${safe.slice(0, half)}\n[… ${safe.length - 2 * half} characters not shown …]\n${safe.slice(-half)}`;
}
