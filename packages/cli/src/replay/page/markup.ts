/** Trusted HTML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Inside = Markup | string | number | readonly (Markup | string | number)[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
// Characters that HTML forbids, and bidirectional marks.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
const REFUSED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Cs}/gu;

/** HTML from a template; values are escaped unless they are Markup. Pure. */
export function html(parts: TemplateStringsArray, ...inside: readonly Inside[]): Markup {
  return new Markup(parts.map((part, at) => part + (at < inside.length ? textOf(inside[at] ?? '') : '')).join(''));
}

function textOf(value: Inside): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map(textOf).join('');
}

function escaped(text: string): string {
  return text.replace(REFUSED, '�').replace(/[&<>"']/g, (sign: string) => ESCAPES[sign] ?? sign);
}
