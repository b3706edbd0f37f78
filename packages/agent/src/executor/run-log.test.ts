import { sqlite } from '@holdfast/sessions';
import { expect, test } from 'vitest';
import { readRun } from './run-log.ts';

test('a run saved by an earlier version has the current fields', async () => {
  const store = await sqlite(':memory:');
  try {
    const check = { command: 'npm test', passed: false, output: '' };
    const flawed = [{ id: 'c1', name: 'note', input: { exit_code: 1 } }];
    const first = { given: 'hash', open_results: 2, flawed, totals: { calls: 3, elapsed_ms: 1_000 } };
    await store.create({ id: 'run' });
    const changes = [first, { totals: { elapsed_ms: 4_000 }, validation: [{ ...check, exit_code: 1, elapsed_ms: 9 }] }];
    await store.append(
      'run',
      changes.map((change) => ({ type: 'run', change }) as const),
      0,
    );
    const now = { openResults: 2, flawed, totals: { calls: 3, elapsedMs: 4_000 } };
    expect(await readRun(store, 'run')).toEqual({
      given: 'hash',
      ...now,
      validation: [{ ...check, exitCode: 1, elapsedMs: 9 }],
    });
    await store.append('run', [{ type: 'run', change: { openResults: 0, totals: { elapsedMs: 5_000 } } }], 2);
    expect(await readRun(store, 'run')).toMatchObject({ openResults: 0, totals: { calls: 3, elapsedMs: 5_000 } });
  } finally {
    await store.close();
  }
});
