import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../', import.meta.url);
const page = readFileSync(new URL('docs/troubleshooting.md', ROOT), 'utf8');
const source = globSync(['packages/*/src/**/*.ts', 'packages/cli/bin/*.js'], { cwd: ROOT })
  .filter((path) => !path.endsWith('.test.ts'))
  .map((path) => readFileSync(new URL(path, ROOT), 'utf8'))
  .join('\n');

/** What a message fills in: numbers, files, providers, variables. */
const FILLED_IN = /…|[\d.:/()"]+|\b[A-Z][\w.]*\b|\bholdfast\.yml|\b(?:openai|anthropic)-\w+|\bwith strategy fold/;

const messages = [...page.matchAll(/^\| `(.+?)`/gm)].map(([, message = '']) => message);

test.each(messages)('the program still prints "%s"', (message) => {
  const fixed = message.split(FILLED_IN).flatMap((part) => (part.trim().includes(' ') ? [part.trim()] : []));
  for (const words of fixed)
    expect(source.includes(words), `no source file contains "${words}": update the page`).toBe(true);
});
