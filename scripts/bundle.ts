// Bundles what the packages ship, next to the types that `tsc -b` writes: each entry of `exports` and each program becomes one
// file. A package imports the others by name. Source maps lead to `src`, which is shipped.
import { globSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BuildOptions, type BuildResult, build } from 'esbuild';
import { buildApp } from './build-app.ts';
import { writeChanged } from './write-changed.ts';

const ROOT = dirname(import.meta.dirname);

/** What is started by its path: the command, and threads, which the code that starts them looks for next to its own file. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  agent: ['src/tools/search/tree-worker.ts'],
  cli: ['src/bin.ts', 'src/replay/worker.ts'],
  inspector: ['src/compare/compare-worker.ts'],
};

/** The command loads each part on use, and the agent's entries share state. Their files import common ones. */
const SPLIT: readonly string[] = ['agent', 'cli'];

interface Entry {
  readonly '@holdfast/source': string;
  readonly default: string;
}

interface Bundled extends BuildResult<{ write: false; metafile: true }> {}

/** Bundles the entries of a package in memory. Throws with esbuild's messages if its sources do not compile. */
export async function bundlePackage(name: string, more: BuildOptions = {}): Promise<Bundled> {
  const folder = join(ROOT, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, Entry | string>>;
  };
  const entries = Object.values(manifest.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : [{ in: join(folder, entry['@holdfast/source']), out: outputOf(entry) }],
  );
  const programs = (PROGRAMS[name] ?? []).map((path) => ({ in: join(folder, path), out: basename(path, '.ts') }));
  return await build({
    absWorkingDir: folder,
    entryPoints: [...entries, ...programs],
    outdir: 'dist',
    bundle: true,
    splitting: SPLIT.includes(name),
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'es2023',
    supported: { 'top-level-await': name !== 'engine' },
    charset: 'utf8',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
    ...more,
    write: false,
    metafile: true,
  });
}

/** The file of an entry, relative to `dist` and without its ending. */
function outputOf(entry: Entry): string {
  return entry.default.replace(/^\.\/dist\/|\.js$/g, '');
}

/** Bundles a package into its `dist`, and removes what an earlier build left there. */
async function writePackage(name: string): Promise<void> {
  const { outputFiles } = await bundlePackage(name);
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
  const written = new Set(outputFiles.map(({ path }) => path));
  const dist = join(ROOT, 'packages', name, 'dist');
  for (const found of globSync('**/*.{js,js.map}', { cwd: dist })) {
    const path = join(dist, found);
    if (!written.has(path) && !path.startsWith(join(dist, 'app/'))) rmSync(path);
  }
}

/** Bundles all packages, and the inspector's application. */
export async function bundleAll(): Promise<void> {
  const names = globSync('packages/*/package.json', { cwd: ROOT }).map((path) => basename(dirname(path)));
  await Promise.all([...names.map(writePackage), buildApp()]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleAll();
