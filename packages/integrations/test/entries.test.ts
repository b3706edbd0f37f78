import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');
const ENTRIES = readdirSync(SOURCE).filter((name) => name !== 'bridge');

function filesOf(entry: string): string[] {
  const names = readdirSync(join(SOURCE, entry)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  return names.map((name) => readFileSync(join(SOURCE, entry, name), 'utf8'));
}

test.each(ENTRIES)('the entry for %s is under 150 lines, all its files together', (entry) => {
  const lines = filesOf(entry).flatMap((text) => text.trimEnd().split('\n'));
  expect(lines.length).toBeLessThan(150);
});

test('no entry imports another', () => {
  for (const entry of ENTRIES)
    for (const text of filesOf(entry))
      for (const [, folder] of text.matchAll(/from '\.\.\/([\w-]+)\//g))
        expect(`${entry} → ${folder}`).toBe(`${entry} → bridge`);
});
