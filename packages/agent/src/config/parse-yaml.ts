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

/** A YAML file, and where its parts stand. */
export interface Parsed {
  readonly document: Document;
  /** The file's map; undefined if it is empty or could not be read. */
  readonly root?: YAMLMap;
  readonly problems: readonly Problem[];
  /** `holdfast.yml:7:5` for a node or an offset. */
  placeOf(at: unknown): string;
  lineOf(at: unknown): number;
}

/** Few aliases make large values; more than these are no configuration. */
const MOST_ALIASES = 100;

const STRAY = 'this alias (*) has no anchor (&) before it: quote the text if it is no alias';
const ADVICE: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab stands where spaces must: indent with spaces',
  DUPLICATE_KEY: 'this key stands twice in its map: remove one',
  MULTIPLE_DOCS: 'a second document begins here (---): a configuration is one',
  BAD_INDENT: 'is indented otherwise than what belongs to it: line up keys of one map',
  MULTILINE_IMPLICIT_KEY: 'a key and its ":" must stand on one line; is a ":" or a quote missing?',
  NON_STRING_KEY: 'a key must be a word',
  TAG_RESOLVE_FAILED: 'tags (!) are not understood here: remove it',
};

/** Reads YAML 1.2 and never throws: what is wrong is a problem with its line and column. `key`: one that a map of it may have. */
export function parseYaml(text: string, file: string, key = 'execution'): Parsed {
  const lines = new LineCounter();
  const offsetOf = (at: unknown) => (typeof at === 'number' ? at : ((isNode(at) ? at.range?.[0] : undefined) ?? 0));
  const lineOf = (at: unknown) => Math.max(1, lines.linePos(offsetOf(at)).line);
  const placeOf = (at: unknown) => `${file}:${lineOf(at)}:${Math.max(1, lines.linePos(offsetOf(at)).col)}`;
  const made = (document: Document, problems: readonly Problem[]): Parsed => {
    const { contents } = document;
    const empty = contents === null || (isScalar(contents) && contents.value === null);
    const wrong = problems.length === 0 && !empty && !isMap(contents);
    const text = `the file is ${isScalar(contents) ? 'a single value' : 'a list'}: give a map, such as "${key}:"`;
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
    const said = deep ? 'is nested too deeply to be read' : 'has too many aliases (*), or some that contain themselves';
    return { document: parseDocument(''), problems: [{ place: `${file}:1:1`, text: said }], placeOf, lineOf };
  }
}

/** Aliases of nothing: the parser lets them through. */
function strayAliases(document: Document): Node[] {
  const stray: Node[] = [];
  visit(document, {
    Alias(_, node) {
      if (!node.resolve(document)) stray.push(node);
    },
  });
  return stray;
}

/** The text whose closing quote is missing: it reaches to the end, and nobody looks there. */
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
  return `is no YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`;
}
