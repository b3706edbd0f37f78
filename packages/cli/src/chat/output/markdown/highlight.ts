import type { Style } from '../../../view/style.ts';
import { type Paint, PLAIN, type Span } from './spans.ts';

/** Colours code of a language; undefined if the language is unknown. Never throws. */
export type Highlight = (code: string, language: string, style: Style) => Span[] | undefined;

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
  readonly properties?: { readonly className?: unknown };
}

/** Loads the grammars of common languages, which takes a moment: start it early. */
export async function loadHighlight(): Promise<Highlight> {
  const { common, createLowlight } = await import('lowlight');
  const lowlight = createLowlight(common);
  return (code, language, style) => {
    if (!lowlight.registered(language)) return undefined;
    try {
      return spansOf(lowlight.highlight(language, code) as Node, style, PLAIN);
    } catch {
      return undefined;
    }
  };
}

function spansOf(node: Node, style: Style, paint: Paint): Span[] {
  if (node.type === 'text') return [{ text: node.value ?? '', paint }];
  const own = paintOf(node, style) ?? paint;
  return (node.children ?? []).flatMap((child) => spansOf(child, style, own));
}

function paintOf({ properties }: Node, { colours }: Style): Paint | undefined {
  const [name = ''] = Array.isArray(properties?.className) ? (properties.className as readonly string[]) : [];
  const kind = KINDS.find(([pattern]) => pattern.test(name));
  return kind && colours[kind[1]];
}

/** The classes of highlight.js, by their meaning. */
const KINDS = [
  [/^hljs-(?:comment|quote|meta)$/, 'dim'],
  [/^hljs-(?:keyword|selector-tag|doctag|operator)$/, 'magenta'],
  [/^hljs-(?:string|regexp|addition|char)/, 'green'],
  [/^hljs-(?:number|literal|symbol|bullet)$/, 'yellow'],
  [/^hljs-(?:title|section|name|tag)/, 'blue'],
  [/^hljs-(?:built_in|type|attr|attribute|variable|template-variable|selector-\w+)$/, 'cyan'],
  [/^hljs-deletion$/, 'red'],
] as const;
