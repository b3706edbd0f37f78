import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import { parseSync } from 'vite';

/** Counts the functions entered, by source file. All instrumented code calls it, as `globalThis.holdfastWalk`. */
export interface Walk {
  (file: string): void;
  /** How often a function was entered in another file than the function before it. */
  hops: number;
  readonly files: Set<string>;
  /** Counts nothing from now on. */
  end(): void;
}

/** What a bundle starts with. Stand-ins are upstreams of a walk and not counted. A process writes its walk when it ends. */
export const BANNER = `
globalThis.holdfastWalk ??= (() => {
  let last;
  let ended = false;
  const walk = Object.assign((file) => {
    if (ended || file === last || file.startsWith('packages/stand-in/')) return;
    walk.hops++;
    walk.files.add(file);
    last = file;
  }, { hops: 0, files: new Set(), end() { ended = true; } });
  process.on('exit', () => {
    const result = JSON.stringify({ hops: walk.hops, files: [...walk.files] });
    process.getBuiltinModule('fs').writeFileSync(process.env.HOLDFAST_WALK, result);
  });
  return walk;
})();
`;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/** The source with a call at the start of every function's body. Pure. */
export function instrument(source: string, file: string): string {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} could not be parsed: ${errors[0]?.message}`);
  const call = `globalThis.holdfastWalk(${JSON.stringify(file)})`;
  const added: { readonly at: number; readonly text: string }[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one);
    if (!isNode(value)) return;
    if (FUNCTIONS.has(value.type) && isNode(value.body)) {
      const { type, start, end } = value.body;
      if (type === 'BlockStatement' || type === 'FunctionBody') added.push({ at: start + 1, text: `${call};` });
      else added.push({ at: start, text: `(${call}, (` }, { at: end, text: '))' });
    }
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child);
  };
  visit(program);
  // Of two at one place the end comes first: an inner body ends where the outer one does.
  added.sort((a, b) => a.at - b.at || (a.text === '))' ? -1 : 1));
  let result = '';
  let from = 0;
  for (const { at, text } of added) {
    result += source.slice(from, at) + text;
    from = at;
  }
  return result + source.slice(from);
}

/** Makes esbuild instrument the packages' sources, and no other code. */
export function instrumentSources(root: string): Plugin {
  return {
    name: 'walk',
    setup(build) {
      build.onLoad({ filter: /[/\\]packages[/\\][^/\\]+[/\\](?:src|app)[/\\].*\.tsx?$/ }, ({ path }) => ({
        contents: instrument(readFileSync(path, 'utf8'), relative(root, path).replaceAll('\\', '/')),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }));
    },
  };
}
