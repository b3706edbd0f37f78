import { clean } from '../../../view/clean.ts';
import { wrapLine } from '../../../view/text.ts';

/** Paints a text, or leaves it as it is. */
export type Paint = (text: string) => string;

/** A piece of text in one style. */
export interface Span {
  readonly text: string;
  readonly paint: Paint;
}

export const PLAIN: Paint = (text) => text;

/** Wraps styled text into rows of at most `columns`. A line feed starts a new row; everything else unsafe is removed. Pure. */
export function wrapSpans(spans: readonly Span[], columns: number): string[] {
  return linesOf(spans).flatMap((line) => wrapStyled(line, Math.max(1, columns)));
}

function linesOf(spans: readonly Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const { text, paint } of spans)
    for (const [i, part] of text.split('\n').entries()) {
      if (i > 0) lines.push([]);
      const safe = clean(part.replaceAll('\t', '    '));
      if (safe !== '') lines.at(-1)?.push({ text: safe, paint });
    }
  return lines;
}

/** Wraps the text without its styles, then gives each character its own again. */
function wrapStyled(line: readonly Span[], columns: number): string[] {
  const text = line.map((span) => span.text).join('');
  const paints = line.flatMap((span) => Array.from({ length: span.text.length }, () => span.paint));
  let at = 0;
  return wrapLine(text, columns).map((row) => {
    const places = Array.from(row, (character) => {
      // Wrapping drops blanks at the ends of rows.
      const found = text.indexOf(character, at);
      at = found + character.length;
      return { character, paint: paints[found] ?? PLAIN };
    });
    return painted(places);
  });
}

function painted(places: readonly { readonly character: string; readonly paint: Paint }[]): string {
  let row = '';
  let part = '';
  for (const [i, { character, paint }] of places.entries()) {
    part += character;
    if (places[i + 1]?.paint === paint) continue;
    row += paint(part);
    part = '';
  }
  return row;
}
