import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

test('the search thread loads only files of its own package, so it starts without a build', async () => {
  const { metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../../src/tools/search/tree-worker.ts', import.meta.url))],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  });
  const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(imported.filter((path) => !path.startsWith('node:'))).toEqual([]);
});
