import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { buildApp } from './build-app.ts';
import { writeChanged } from './write-changed.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Kept between test runs: bundles, and Node's compile cache for them. */
const CACHE = join(ROOT, 'node_modules/.cache/holdfast-tests');
const FOLDER = join(CACHE, 'programs/dist');

/** Environment variables that let a process reuse Node's compile cache. */
export const COMPILE_CACHE: Readonly<Record<string, string>> = { NODE_COMPILE_CACHE: join(CACHE, 'compiled') };

/** The programs that tests start many times, and the threads those programs start. */
const SOURCES = {
  bin: new URL('../packages/cli/src/bin.ts', import.meta.url),
  worker: new URL('../packages/cli/src/replay/worker.ts', import.meta.url),
  'compare-worker': new URL('../packages/inspector/src/compare/compare-worker.ts', import.meta.url),
  'tree-worker': new URL('../packages/agent/src/tools/search/tree-worker.ts', import.meta.url),
  play: new URL('../packages/cli/test/fixtures/play.ts', import.meta.url),
  'check-sqlite-child': new URL('../packages/sessions/test/check-sqlite-child.ts', import.meta.url),
  'opencode-example': new URL('../examples/opencode.ts', import.meta.url),
  'opencode-plugin': new URL('../packages/integrations/test/opencode-plugin.ts', import.meta.url),
  'pi-extension': new URL('../examples/pi.ts', import.meta.url),
  'writer-child': new URL('../packages/sessions/test/writer-child.ts', import.meta.url),
  'proxy-child': new URL('../packages/proxy/test/proxy-child.ts', import.meta.url),
  'bodies-child': new URL('../packages/proxy/test/bodies-child.ts', import.meta.url),
} as const;

/** The bundled file to start. Tests then need no build, and a bundle starts in half the time. */
export function programOf(name: keyof typeof SOURCES): string {
  return join(FOLDER, `${name}.js`);
}

/** Bundles the programs and the inspector's application before any test runs, and again in watch mode. */
export default async function setUp(project: TestProject): Promise<void> {
  const bundle = async () => void (await Promise.all([bundlePrograms(FOLDER), buildApp()]));
  project.onTestsRerun(bundle);
  await bundle();
}

/** Bundles the programs into a folder. `plugins` may change their sources. */
export async function bundlePrograms(folder: string, plugins: Plugin[] = []): Promise<void> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: Object.fromEntries(Object.entries(SOURCES).map(([name, url]) => [name, fileURLToPath(url)])),
    outdir: folder,
    plugins,
    write: false,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@holdfast/source'],
    // Optional dependencies, loaded only if they are installed.
    external: ['pg', 'react-devtools-core'],
    banner: {
      js: "import { createRequire as requireOf$ } from 'node:module'; const require = requireOf$(import.meta.url);",
    },
    logLevel: 'error',
  });
  // The program reads its version from here.
  writeChanged(join(folder, '../package.json'), readFileSync(join(ROOT, 'packages/cli/package.json')));
  for (const { path, contents } of outputFiles) writeChanged(path, contents);
}
