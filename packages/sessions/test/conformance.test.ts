import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, test } from 'vitest';
import { postgres, sqlite } from '../src/index.ts';
import { testStore } from '../src/testing/index.ts';
import { startPostgres } from './postgres-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-sessions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('sqlite', () => testStore('sqlite', (place) => sqlite(join(folder, `${place}.db`)), test));

const server = await startPostgres();
afterAll(() => server?.stop());

describe.skipIf(!server)('postgres', () =>
  testStore('postgres', (place) => postgres({ url: server?.url ?? '', schema: place }), test),
);
