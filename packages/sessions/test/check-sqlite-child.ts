import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '../src/index.ts';
import { checkStore } from '../src/testing/index.ts';

// Prints the demands that SQLite does not meet in the runtime that runs this.
const folder = mkdtempSync(join(tmpdir(), 'holdfast-sqlite-'));
try {
  const findings = await checkStore((place) => sqlite(join(folder, `${place}.db`)));
  await (await sqlite(':memory:')).close();
  console.log(JSON.stringify({ runtime: process.versions.bun ? 'bun' : 'node', findings }));
} finally {
  rmSync(folder, { recursive: true });
}
