import {
  type Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Problem } from './problem.ts';

/** A parsed YAML file, with positions. */
export interface Parsed {
  readonly document: Document;
  /** The file's map; undefined if it is empty or could not be read. */
  readonly root?: YAMLMap;
  readonly problems: readonly Problem[];
  /** `holdfast.yml:7:5` for a node or an offset. */
  placeOf(at: unknown): string;
  lineOf(at: unknown): number;
}

/** A few aliases can expand to huge values; no configuration needs more. */
const MOST_ALIASES = 100;

const STRAY = 'this alias (*) has no anchor (&) before it: quote the text if it is not an alias';
const ADVICE: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used for indentation: use spaces',
  DUPLICATE_KEY: 'duplicate key: remove one',
  MULTIPLE_DOCS: 'a second document starts here (---): a configuration has only one',
  BAD_INDENT: 'wrong indentation: align the keys of a map',
  MULTILINE_IMPLICIT_KEY: 'a key and its ":" must be on one line; is a ":" or a quote missing?',
  NON_STRING_KEY: 'a key must be a word',
  TAG_RESOLVE_FAILED: 'tags (!) are not supported: remove it',
};

/** Parses YAML 1.2 and never throws: errors are problems with line and column. `key`: a sample key, for the advice. */
export function parseYaml(text: string, file: string, key = 'execution'): Parsed {
  const lines = new LineCounter();
  const offsetOf = (at: unknown) => (typeof at === 'number' ? at : ((isNode(at) ? at.range?.[0] : undefined) ?? 0));
  const lineOf = (at: unknown) => Math.max(1, lines.linePos(offsetOf(at)).line);
  const placeOf = (at: unknown) => `${file}:${lineOf(at)}:${Math.max(1, lines.linePos(offsetOf(at)).col)}`;
  const made = (document: Document, problems: readonly Problem[]): Parsed => {
    const { contents } = document;
    const empty = contents === null || (isScalar(contents) && contents.value === null);
    const wrong = problems.length === 0 && !empty && !isMap(contents);
    const text = `the file is ${isScalar(contents) ? 'a single value' : 'a list'}: expected a map, such as "${key}:"`;
    const all = wrong ? [{ place: placeOf(contents), text }] : problems;
    return { document, problems: all, placeOf, lineOf, ...(isMap(contents) ? { root: contents } : {}) };
  };
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
    const said = [...document.errors, ...document.warnings];
    if (said.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) throw new RangeError();
    const problems = said.map(({ code, message, pos }) => ({
      place: placeOf(unclosed(document, message) ?? pos[0]),
      text: adviceFor(code, message),
    }));
    if (said.some(({ code }) => code !== 'DUPLICATE_KEY')) return { document, problems, placeOf, lineOf };
    problems.push(...strayAliases(document).map((alias) => ({ place: placeOf(alias), text: STRAY })));
    if (problems.some(({ text }) => text === STRAY)) return { document, problems, placeOf, lineOf };
    document.toJS({ maxAliasCount: MOST_ALIASES });
    return made(document, problems);
  } catch (error) {
    const deep = error instanceof RangeError;
    const said = deep ? 'is nested too deeply' : 'has too many aliases (*), or an alias that contains itself';
    return { document: parseDocument(''), problems: [{ place: `${file}:1:1`, text: said }], placeOf, lineOf };
  }
}

/** Aliases without an anchor, which the parser accepts. */
function strayAliases(document: Document): Node[] {
  const stray: Node[] = [];
  visit(document, {
    Alias(_, node) {
      if (!node.resolve(document)) stray.push(node);
    },
  });
  return stray;
}

/** The string whose closing quote is missing: the parser's error only points to the end of the file. */
function unclosed(document: Document, message: string): Node | undefined {
  if (!message.startsWith('Missing closing')) return undefined;
  let last: Node | undefined;
  visit(document, {
    Scalar(_, node) {
      if (node.type?.startsWith('QUOTE')) last = node;
    },
  });
  return last;
}

function adviceFor(code: string, message: string): string {
  const advice = ADVICE[code];
  const [first = ''] = message.split('\n');
  if (advice !== undefined && !first.startsWith('Flow')) return advice;
  const missing = /^Missing closing (.)quote/.exec(first);
  if (missing) return `a quote is not closed: a ${missing[1]} is missing`;
  return `is not valid YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}
