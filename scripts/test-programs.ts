import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What tests keep from run to run: bundles, and what Node compiled of them. */
const CACHE = join(ROOT, 'node_modules/.cache/holdfast-tests');
const FOLDER = join(CACHE, 'programs/dist');

/** Added to the environment of a process: what was compiled once need not be again. */
export const COMPILE_CACHE: Readonly<Record<string, string>> = { NODE_COMPILE_CACHE: join(CACHE, 'compiled') };

/** The programs that tests start by the dozen, and the threads that those start. */
const SOURCES = {
  bin: new URL('../packages/cli/src/bin.ts', import.meta.url),
  worker: new URL('../packages/cli/src/replay/worker.ts', import.meta.url),
  'tree-worker': new URL('../packages/agent/src/tools/search/tree-worker.ts', import.meta.url),
  play: new URL('../packages/cli/test/fixtures/play.ts', import.meta.url),
  'writer-child': new URL('../packages/sessions/test/writer-child.ts', import.meta.url),
} as const;

/** The file to start. Tests need no build, and a process from a few files takes half the time of one from a thousand. */
export function programOf(name: keyof typeof SOURCES): string {
  return join(FOLDER, `${name}.js`);
}

/** Bundles the programs from their sources before any test runs, and again where tests are watched. */
export default async function setUp(project: TestProject): Promise<void> {
  project.onTestsRerun(bundlePrograms);
  await bundlePrograms();
}

async function bundlePrograms(): Promise<void> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(Object.entries(SOURCES).map(([name, url]) => [name, fileURLToPath(url)])),
    outdir: FOLDER,
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@holdfast/source'],
    // Drivers and tools that are loaded only where somebody has them.
    external: ['pg', 'react-devtools-core'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  // Where the program looks for its version.
  write(join(FOLDER, '../package.json'), readFileSync(join(ROOT, 'packages/cli/package.json')));
  for (const { path, contents } of outputFiles) write(path, contents);
}

/** At once and only if it is another, because a process of another run may be reading it. */
function write(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
}
