import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT } from './exit-codes.ts';

test('docs/exit-codes.md lists exactly these codes', () => {
  const page = readFileSync(new URL('../../../docs/exit-codes.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, code, name]) => [name, Number(code)]);
  expect(rows).toEqual(Object.entries(EXIT));
});
