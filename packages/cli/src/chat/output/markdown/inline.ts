import type { Token, Tokens } from 'marked';
import type { Style } from '../../../view/style.ts';
import { type Paint, PLAIN, type Span } from './spans.ts';

/** Text of the model inside a block, as styled spans. Pure. */
export function inlineSpans(tokens: readonly Token[] | undefined, style: Style, paint: Paint = PLAIN): Span[] {
  return (tokens ?? []).flatMap((token) => spansOf(token as Tokens.Generic, style, paint));
}

function spansOf(token: Tokens.Generic, style: Style, paint: Paint): Span[] {
  const { colours } = style;
  const inner = (more: Paint) => inlineSpans(token.tokens, style, both(paint, more));
  const words = String(token.text ?? token.raw);
  switch (token.type) {
    case 'strong':
      return inner(colours.bold);
    case 'em':
      return inner(colours.italic);
    case 'del':
      return inner(colours.strikethrough);
    case 'codespan':
      // Without colours, the backticks are what sets it apart.
      return [{ text: colours.isColorSupported ? words : `\`${words}\``, paint: both(paint, colours.cyan) }];
    case 'br':
      return [{ text: '\n', paint }];
    case 'link':
      return [...inner(colours.underline), ...address(token, words, style)];
    case 'image':
      return [{ text: `[image: ${words}]`, paint }, ...address(token, words, style)];
    case 'checkbox':
      // The item shows it.
      return [];
    case 'html':
      return [{ text: token.raw, paint }];
    default:
      return token.tokens ? inlineSpans(token.tokens, style, paint) : [{ text: decoded(words), paint }];
  }
}

/** The address of a link is always shown: a terminal's own links could lead elsewhere than they say. */
function address(token: Tokens.Generic, words: string, { colours }: Style): Span[] {
  const href = String(token.href ?? '');
  const isSaid = ['', words, `mailto:${words}`, `http://${words}`].includes(href);
  return isSaid ? [] : [{ text: ` (${href})`, paint: colours.dim }];
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: ' ',
};

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '');
}

function both(outer: Paint, inner: Paint): Paint {
  return outer === PLAIN ? inner : (text) => outer(inner(text));
}
