import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SOAK } from './scripts/soak.ts';

/** The files that take longest, so that none of them is left alone at the end. Others follow as usual. */
const LONGEST = [
  '/proxy/test/clients.test',
  '/promises/',
  '/consumer.test',
  '/inspector/test/pages.test',
  '/cli/test/run.test',
  '/cli/test/live-view.test',
  '/cli/test/chat.test',
  '/cli/test/crew-page.test',
  '/agent/test/executor/',
  '/cli/test/runs.test',
  '/cli/test/replay.test',
  '/terminal-controls.test',
  '/cli/test/trust.test',
  '/cli/test/inspect.test',
  '/recorded-conversations.test',
  '/engine/test/conformance',
  '/inspector/test/growth.test',
  '/serve-load.test',
  '/integrations/test/',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONGEST.some((part) => moduleId.includes(part));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  ssr: { resolve: { conditions: ['@holdfast/source'] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'packages/inspector/app/**/*.test.ts',
      'packages/*/test/**/*.test.ts',
      'examples/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    globalSetup: ['scripts/test-folder.ts', 'scripts/test-programs.ts'],
    pool: 'threads',
    // A worker imports the packages once for all its files, which halves the time of small ones. So no test may leave
    // behind what others would see; mocks and variables of the environment are restored.
    isolate: false,
    restoreMocks: true,
    unstubEnvs: true,
    // One more than there are cores: many tests wait for a program that they have started.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Only what hangs runs into these, also where other programs keep all cores busy.
    testTimeout: SOAK ? 7_200_000 : 300_000,
    hookTimeout: SOAK ? 7_200_000 : 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
