import { parseAst } from 'vite';

type Node = { readonly type: string; readonly [key: string]: unknown };

/** The packages' texts: every run of three words (in the note also of two) with the packages that write it, and the note's fixed sentences. */
export interface PackageTexts {
  readonly runs: ReadonlyMap<string, ReadonlySet<string>>;
  readonly phrases: readonly string[];
}

const NOTE = 'packages/engine/src/note/render-note.ts';
/** Files with texts of others, which clients may well have to know: the errors of providers, what people say. */
const FOREIGN =
  /^packages\/stand-in\/|\/dialects\/[^/]+\/request\/|\/statements\/languages\/|^packages\/engine\/src\/rules\/|^packages\/replay\/|\/testing\/|\.test\.ts$/;
const MATCHES = /^(?:includes|startsWith|endsWith|indexOf|lastIndexOf|search|match|matchAll|split|replace|replaceAll)$/;
const LOOKUPS = /^(?:includes|indexOf|has|get|some|find)$/;
const RUN = 3;
/** A flag of another program, such as Node's `--conditions=…`: nobody's words. */
const FLAG = /^--\S+$/;
/** A pattern that reads handles of messages, such as `m41`. */
const HANDLE = /(?:^|[^A-Za-z]|\\b)m(?:\(\??:?)?(?:\\d|\[0-9\])/;
/** A package can only get the words of those before it. */
const ORDER = [
  'engine',
  'models',
  'sessions',
  'replay',
  'agent',
  'crew',
  'integrations',
  'stand-in',
  'inspector',
  'proxy',
  'cli',
];

/** Collects the texts of sources, each with its path in the repository. Pure. */
export function packageTexts(files: readonly (readonly [path: string, source: string])[]): PackageTexts {
  const own = files.filter(([path]) => !FOREIGN.test(path));
  const texts = own.flatMap(([path, source]) =>
    literalsIn(path, source).flatMap((text) => (FLAG.test(text) ? [] : [[path, text] as const])),
  );
  const ofNote = texts.flatMap(([path, text]) => (path === NOTE ? text : []));
  const runs = new Map<string, Set<string>>();
  for (const [path, text] of texts)
    for (const run of [...runsOf(text), ...(path === NOTE ? runsOf(text, 2) : [])])
      runs.set(run, (runs.get(run) ?? new Set()).add(packageOf(path)));
  return {
    runs,
    phrases: ofNote.filter((text) => !text.includes('\0') && /^\[?[A-Z]\S* /.test(text)),
  };
}

/**
 * Where a file reads the words of another package: a phrase of the note in any text, or three words in a row of any other
 * text in a pattern or in something that a text is compared with. One line for each, with what to do. Pure.
 */
export function textProblems(path: string, source: string, { runs, phrases }: PackageTexts): string[] {
  if (!/^packages\/[^/]+\/(?:src|app|bin)\//.test(path) || path.endsWith('.test.ts')) return [];
  const own = packageOf(path);
  const before = new Set(ORDER.slice(0, Math.max(0, ORDER.indexOf(own))));
  const isOthers = (run: string) => [...(runs.get(run) ?? [])].some((owner) => before.has(owner));
  const quoted = literalsIn(path, source).filter((text) => phrases.some((phrase) => text.includes(phrase)));
  const matched = matchesIn(path, source).filter((text) =>
    runsOf(text, wordsOf(text).length === 2 ? 2 : RUN).some(isOthers),
  );
  const searched = own === 'engine' ? [] : searchesOfNotes(path, source);
  // A replay reads a view as a model does.
  const mayRead = own === 'engine' || own === 'replay';
  const handles = mayRead ? [] : patternsIn(path, source).filter((pattern) => HANDLE.test(pattern));
  return [
    ...[...new Set([...(own === 'engine' ? [] : quoted), ...matched])].map(
      (text) =>
        `${path}: reads another package's words ${JSON.stringify(text)}; use state().log, noteLines(), an error's code and details, or other data`,
    ),
    ...searched.map(
      (name) => `${path}: searches the text ${name} of a note; use the digest or noteLines() of the fold's entry`,
    ),
    ...handles.map(
      (pattern) => `${path}: reads handles with ${JSON.stringify(pattern)}; use handleTarget() or noteLines()`,
    ),
  ];
}

function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/(?!\d+\b)[\p{L}\p{N}'_-]+/gu) ?? [];
}

function runsOf(text: string, length = RUN): string[] {
  return text.split('\0').flatMap((part) => {
    const words = wordsOf(part);
    return words.slice(length - 1).map((_, i) => words.slice(i, i + length).join(' '));
  });
}

/** All strings of a file, templates with a break for each value. Names of modules and types are left out. */
function literalsIn(path: string, source: string): string[] {
  return nodesOf(path, source).flatMap((node) => textOf(node) ?? []);
}

function patternsIn(path: string, source: string): string[] {
  return nodesOf(path, source).flatMap((node) => {
    const [first] = isNode(node.callee) && node.callee.name === 'RegExp' ? (node.arguments as unknown[]) : [];
    const pattern = (node.regex as { readonly pattern?: string } | undefined)?.pattern;
    return (pattern ?? (isNode(first) && textOf(first))) || [];
  });
}

/** What texts are matched with or compared with: patterns, arguments of `includes` and the like, sides of `===`, cases, keys. */
function matchesIn(path: string, source: string): string[] {
  const nodes = nodesOf(path, source);
  const constants = new Map(
    nodes.flatMap(({ type, id, init }) =>
      type === 'VariableDeclarator' && isNode(id) && isNode(init) ? [[id.name, init] as const] : [],
    ),
  );
  const text = (node: unknown): string[] => {
    const value = isNode(node) && node.type === 'Identifier' ? constants.get(node.name) : node;
    if (!isNode(value)) return [];
    const own = textOf(value.type === 'TaggedTemplateExpression' ? (value.quasi as Node) : value);
    return own === undefined ? [] : [own];
  };
  /** The texts of a list or a set, and the keys of a map. */
  const texts = (node: unknown): string[] => {
    const value = isNode(node) && node.type === 'Identifier' ? constants.get(node.name) : node;
    if (!isNode(value)) return [];
    if (value.type === 'NewExpression') return texts((value.arguments as unknown[])[0]);
    const list = value.type === 'ArrayExpression' ? (value.elements as unknown[]) : [];
    return list.flatMap((one) => text(isNode(one) && Array.isArray(one.elements) ? one.elements[0] : one));
  };
  return nodes.flatMap((node): string[] => {
    const { pattern } = (node.regex ?? {}) as { readonly pattern?: string };
    if (pattern !== undefined) return [plainPattern(pattern)];
    if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(String(node.operator)))
      return [node.left, node.right].flatMap((side) => (isNode(side) && textOf(side)) || []);
    if (node.type === 'SwitchCase') return text(node.test);
    if (node.type === 'Property') return ((isNode(node.key) && textOf(node.key)) || '').split('/');
    const callee = isNode(node.callee) ? node.callee : undefined;
    const [first] = Array.isArray(node.arguments) ? node.arguments : [];
    if (callee?.name === 'RegExp') return text(first).map(plainPattern);
    const method = isNode(callee?.property) ? String(callee.property.name) : '';
    return [...(MATCHES.test(method) ? text(first) : []), ...(LOOKUPS.test(method) ? texts(callee?.object) : [])];
  });
}

/** The texts of notes that are searched, replaced in, taken apart or matched with a pattern. */
function searchesOfNotes(path: string, source: string): string[] {
  return nodesOf(path, source).flatMap((node) => {
    const callee = isNode(node.callee) && isNode(node.callee.property) ? node.callee : undefined;
    const method = String((callee?.property as Node | undefined)?.name);
    const [first] = Array.isArray(node.arguments) ? node.arguments : [];
    const searched = /^(?:exec|test)$/.test(method) ? first : MATCHES.test(method) ? callee?.object : undefined;
    const name = isNode(searched) ? noteName(searched) : undefined;
    return name ?? [];
  });
}

/** `note`, `receipt.note`, `noteText(…)`, or what one of them became by another method. */
function noteName(node: Node): string | undefined {
  const { type, name, property, callee, object, expression } = node;
  if (type === 'Identifier') return name === 'note' ? 'note' : undefined;
  if (type === 'ChainExpression') return isNode(expression) ? noteName(expression) : undefined;
  if (type === 'MemberExpression') {
    const last = isNode(property) ? property.name : undefined;
    return last === 'note' ? 'note' : isNode(object) ? noteName(object) : undefined;
  }
  if (type !== 'CallExpression' || !isNode(callee)) return undefined;
  return callee.name === 'noteText' ? 'noteText()' : noteName(callee);
}

/** A pattern as the words that it must find, with breaks for everything else. */
function plainPattern(pattern: string): string {
  const single = pattern.replace(/\((?:\?:)?([^()|]*)\)(?![?*])/g, '$1');
  return single.replace(/\\s[*+?]?|\\.|\[(?:\\.|[^\]])*\]|\.[*+]\??|[|()]/g, (part) =>
    part.startsWith('\\s') ? ' ' : /^\\[^A-Za-z0-9]/.test(part) ? part.slice(1) : '\0',
  );
}

function textOf({ type, value, quasis, operator, left, right }: Node): string | undefined {
  if (type === 'Literal' && typeof value === 'string') return value;
  if (type === 'BinaryExpression' && operator === '+' && isNode(left) && isNode(right)) {
    const [start, end] = [textOf(left), textOf(right)];
    return start === undefined && end === undefined ? undefined : `${start ?? '\0'}${end ?? '\0'}`;
  }
  if (type !== 'TemplateLiteral' || !Array.isArray(quasis)) return undefined;
  return quasis.map((quasi: { value: { cooked?: string } }) => quasi.value.cooked ?? '').join('\0');
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';
}

/** Every node of a file but those of imports, exports of others and types. */
function nodesOf(path: string, source: string): Node[] {
  const nodes: Node[] = [];
  const left: unknown[] = [parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' })];
  while (left.length > 0) {
    const next = left.pop();
    if (Array.isArray(next)) left.push(...next);
    if (!isNode(next) || /^(?:TS(?!As|Non|Satisfies)|Import)/.test(next.type)) continue;
    nodes.push(next);
    for (const key in next) if (key !== 'source') left.push(next[key]);
  }
  return nodes;
}
