import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeChanged } from './write-changed.ts';

// Bundles the inspector's application into the package that ships it: one script, one stylesheet, one page.

const PACKAGE = fileURLToPath(new URL('../packages/inspector/', import.meta.url));
const FOLDER = join(PACKAGE, 'dist/app');

/** The files of the application, by name. Throws with esbuild's messages if it does not compile. */
export async function bundleApp(): Promise<Map<string, Uint8Array>> {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ['main.tsx', 'style/app.css'].map((file) => ({ in: join(PACKAGE, 'app', file), out: 'app' })),
    outdir: FOLDER,
    write: false,
    bundle: true,
    minify: true,
    charset: 'utf8',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['@holdfast/source'],
    legalComments: 'none',
    logLevel: 'error',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [path.slice(FOLDER.length + 1), contents]));
  return files.set('index.html', readFileSync(join(PACKAGE, 'app/index.html')));
}

/** Writes the application into `packages/inspector/dist/app`. */
export async function buildApp(): Promise<void> {
  for (const [name, contents] of await bundleApp()) writeChanged(join(FOLDER, name), contents);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildApp();
