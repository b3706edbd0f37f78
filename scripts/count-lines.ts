// Counts the lines of what git tracks: `npm run lines`. The total of `packages` is the one that a bar is set for.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const isTest = (path: string): boolean => path.includes('.test.') || path.includes('/test/');

/**
 * What a tracked file counts as: source of a package, a script, bench, an example, code or configuration in another
 * kind of file, or a test. Undefined: documents, data and lock files. Pure.
 */
export function kindOf(path: string): string | undefined {
  const [top = ''] = path.split('/');
  if (/\.(?:ts|tsx|css)$/.test(path)) {
    if (isTest(path)) return 'tests';
    return ['packages', 'scripts', 'bench', 'examples'].includes(top) ? top : 'other .ts';
  }
  if (path.endsWith('package-lock.json')) return undefined;
  const other = /\.(?:mjs|js|json|html)$/.exec(path)?.[0];
  if (other === undefined) return undefined;
  return isTest(path) ? 'tests' : `other ${other}`;
}

/** The package of a source file and its folder: below `src/` the folder's name, elsewhere its whole place. Pure. */
export function folderOf(path: string): { readonly package: string; readonly folder: string } {
  const [, name = '', top = '.', ...rest] = dirname(path).split('/');
  return { package: name, folder: top === 'src' ? (rest[0] ?? '.') : top };
}

interface Count {
  files: number;
  lines: number;
}

function add(counts: Map<string, Count>, key: string, lines: number): void {
  const { files, lines: before } = counts.get(key) ?? { files: 0, lines: 0 };
  counts.set(key, { files: files + 1, lines: before + lines });
}

const print = (name: string, { files, lines }: Count): void =>
  console.log(`${name.padEnd(28)}${files.toLocaleString('en').padStart(6)}${lines.toLocaleString('en').padStart(9)}`);

function countLines(root: string): void {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
  const kinds = new Map<string, Count>();
  const packages = new Map<string, Count>();
  const folders = new Map<string, Count>();
  for (const path of tracked) {
    const kind = kindOf(path);
    if (kind === undefined) continue;
    const lines = readFileSync(`${root}/${path}`, 'utf8').split('\n').length - 1;
    add(kinds, kind, lines);
    if (kind !== 'packages') continue;
    const place = folderOf(path);
    add(packages, place.package, lines);
    add(folders, `${place.package}/${place.folder}`, lines);
  }
  console.log(`${''.padEnd(28)}${'files'.padStart(6)}${'lines'.padStart(9)}`);
  for (const [name, count] of packages) {
    print(name, count);
    for (const [folder, part] of folders)
      if (folder.startsWith(`${name}/`)) print(`  ${folder.slice(name.length + 1)}`, part);
  }
  console.log();
  const first = ['packages', 'scripts', 'bench', 'examples'];
  const rest = [...kinds.keys()].filter((kind) => !first.includes(kind)).sort();
  for (const kind of [...first, ...rest]) print(kind, kinds.get(kind) ?? { files: 0, lines: 0 });
}

if (basename(process.argv[1] ?? '') === 'count-lines.ts') countLines(dirname(import.meta.dirname));
