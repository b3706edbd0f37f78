import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['@holdfast/source'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    globalSetup: 'scripts/test-programs.ts',
    pool: 'threads',
    // Left alone, one core stays idle, and many machines have two.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 120_000,
  },
});
