// Counts the lines of source, without tests and `testing/` folders: `npm run lines`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** Whether a path, relative to the repository root, counts as source. Pure. */
export const isSource = (path: string): boolean =>
  /^packages\/[^/]+\/src\/.*\.(?:ts|tsx|css|js|html)$/.test(path) &&
  !/\.test\.tsx?$/.test(path) &&
  !path.includes('/testing/');

/** The package of a source file and its folder below `src/`; files directly in `src/` are in `.`. Pure. */
export const folderOf = (path: string): { readonly package: string; readonly folder: string } => {
  const [, name = '', , folder = '.'] = dirname(path).split('/');
  return { package: name, folder };
};

interface Count {
  files: number;
  lines: number;
}

const add = (counts: Map<string, Count>, key: string, lines: number): void => {
  const { files, lines: before } = counts.get(key) ?? { files: 0, lines: 0 };
  counts.set(key, { files: files + 1, lines: before + lines });
};

const print = (name: string, { files, lines }: Count): void =>
  console.log(`${name.padEnd(28)}${files.toLocaleString('en').padStart(6)}${lines.toLocaleString('en').padStart(9)}`);

const countLines = (root: string): void => {
  const tracked = execFileSync('git', ['ls-files', '-z', 'packages'], { cwd: root, encoding: 'utf8' });
  const packages = new Map<string, Count>();
  const folders = new Map<string, Count>();
  const total = new Map<string, Count>();
  for (const path of tracked.split('\0').filter(isSource)) {
    const lines = readFileSync(`${root}/${path}`, 'utf8').split('\n').length - 1;
    const place = folderOf(path);
    add(folders, `${place.package}/${place.folder}`, lines);
    add(packages, place.package, lines);
    add(total, 'total', lines);
  }
  console.log(`${''.padEnd(28)}${'files'.padStart(6)}${'lines'.padStart(9)}`);
  for (const [name, count] of packages) {
    print(name, count);
    for (const [folder, part] of folders)
      if (folder.startsWith(`${name}/`)) print(`  ${folder.slice(name.length + 1)}`, part);
  }
  print('total', total.get('total') ?? { files: 0, lines: 0 });
};

if (basename(process.argv[1] ?? '') === 'count-lines.ts') countLines(dirname(import.meta.dirname));
