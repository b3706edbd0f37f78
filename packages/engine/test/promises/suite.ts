import fc from 'fast-check';
import { beforeAll, test } from 'vitest';
import { SOAK } from '../../../../scripts/soak.ts';
import type { Thinking } from '../../src/index.ts';
import { type Format, scenarios } from '../histories.ts';
import {
  acceptsOffset,
  carriesMarkers,
  givesBack,
  isAppendOnly,
  isDeterministic,
  isIdempotent,
  isValid,
  isWithinBudget,
  isWithinCount,
  keepsAsides,
  keepsBoundThinking,
  keepsFreeThinking,
  keepsThinkingUnbroken,
  keepsTools,
  keepsWords,
  leavesInputAlone,
  noticesEdits,
  type Promised,
  restores,
} from '../promises.ts';

const numRuns = Number(process.env.HOLDFAST_RUNS ?? (SOAK ? 5_000 : 20));
const seed = SOAK ? Date.now() % 2 ** 31 : 20261115;

/** Promises and the names of their tests. */
type Promises = Readonly<Record<string, Promised>>;

const PROMISES: Promises = {
  'every view is valid on the wire': isValid,
  'every view is within budget, or the floor is named': isWithinBudget,
  'every view is within budget by a counter of the caller’s own': isWithinCount,
  'system prompt, first and newest user message stay word for word': keepsWords,
  'what makes tools available stays as it is': keepsTools,
  'the same calls give the same bytes': isDeterministic,
  'fitting or compacting an unchanged history again changes nothing': isIdempotent,
  'between folds the view only grows at its end': isAppendOnly,
  'every dropped or masked byte comes back': givesBack,
  'what is passed in is never changed': leavesInputAlone,
  'a restored window continues as if it had never stopped': restores,
  'a history passed in part gives the same view': acceptsOffset,
  'an edited history is noticed': noticesEdits,
  'at most four cache markers, the newest; moving them is not a rewrite': carriesMarkers,
};

/** For formats in which the user can speak beside tool results. */
export const ASIDES: Promises = {
  'text sent with tool results is kept like any user message': keepsAsides,
};

/** For formats in which thinking may be bound to what precedes it. */
export const THINKING: Promises = {
  'bound thinking stays only after the exact view it was made from': keepsBoundThinking,
  'thinking is one unbroken run where it is kept': keepsThinkingUnbroken,
};

/** For formats in which it may be free. */
const FREE: Promises = {
  'free thinking since the last user message is not touched': keepsFreeThinking,
};

/**
 * Registers a test for each of these promises in this wire format. All are asked of each conversation, which is made and
 * played once for all that only look. One file a format, so that they run side by side.
 */
export function promisesIn(format: Format, ...more: readonly Promises[]): void {
  promisesWith(format, 'bound', Object.assign({}, PROMISES, ...more));
}

/** The same for promises about conversations with free thinking. */
export function freePromisesIn(format: Format): void {
  promisesWith(format, 'free', FREE);
}

function promisesWith(format: Format, thinking: Thinking, promises: Promises): void {
  const broken = new Map<Promised, number>();
  beforeAll(async () => {
    let run = 0;
    const property = fc.asyncProperty(scenarios(format, thinking), async (scenario) => {
      for (const promise of Object.values(promises)) {
        if (broken.has(promise)) continue;
        const complaints = await promise(scenario).catch(() => ['it throws']);
        if (complaints.length > 0) broken.set(promise, run);
      }
      run++;
    });
    await fc.assert(property, { numRuns, seed });
  }, 7_200_000);
  for (const [name, promise] of Object.entries(promises)) {
    test(name, async () => {
      const run = broken.get(promise);
      if (run === undefined) return;
      await holds(promise, format, thinking, `${run}`);
      throw new Error(`seed ${seed}, path "${run}": broken, but not when it is played alone`);
    });
  }
}

/** Throws for a conversation in which the promise is broken, and says how to find it again. */
async function holds(promise: Promised, format: Format, thinking: Thinking, path: string): Promise<void> {
  const property = fc.asyncProperty(scenarios(format, thinking), async (scenario) => {
    const complaints = await promise(scenario);
    if (complaints.length > 0) throw new Error(complaints.slice(0, 5).join('\n'));
  });
  await fc.assert(property, {
    numRuns: 1,
    seed,
    path,
    endOnFailure: process.env.HOLDFAST_SHRINK !== '1',
    reporter(run) {
      if (!run.failed) return;
      const [scenario] = run.counterexample ?? [];
      const place = `seed ${run.seed}, path "${run.counterexamplePath}", run ${run.numRuns}, HOLDFAST_SHRINK=1 finds a smaller one`;
      const story = `${JSON.stringify(scenario?.config)}, ${scenario?.steps.length} steps, usage ${JSON.stringify(scenario?.usage)}`;
      throw new Error(`${place}\n${story}\n${run.errorInstance}`, { cause: run.errorInstance });
    },
  });
}
