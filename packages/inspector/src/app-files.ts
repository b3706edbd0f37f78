import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The built application: everything that a browser loads. */
export interface AppFiles {
  readonly html: string;
  readonly js: string;
  readonly css: string;
}

let kept: AppFiles | undefined;

/** Reads the built application, once. Throws if it was not built (`npm run build`). */
export function appFiles(): AppFiles {
  if (kept) return kept;
  const folder = join(packageFolder(), 'dist/app');
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  kept = { html: read('index.html'), js: read('app.js'), css: read('app.css') };
  return kept;
}

/** What to do if the application was not built, as in a new clone; undefined if it was. */
export function missingPage(): string | undefined {
  try {
    appFiles();
    return undefined;
  } catch {
    return `the page of the inspector is not built: run \`npm run build\` in ${join(packageFolder(), '../..')}`;
  }
}

/** By the package's name, because a bundle of this file may be elsewhere. */
function packageFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('@holdfast/inspector/package.json'));
}

/** A source for a Content-Security-Policy that allows just this text. Pure. */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
