import fc from 'fast-check';
import { test } from 'vitest';
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
  keepsAsides,
  keepsBoundThinking,
  keepsFreeThinking,
  keepsThinkingUnbroken,
  keepsWords,
  leavesInputAlone,
  noticesEdits,
  type Promised,
  restores,
} from '../promises.ts';

const soak = process.env.HOLDFAST_SOAK === '1';
const numRuns = Number(process.env.HOLDFAST_RUNS ?? (soak ? 5_000 : 300));

async function holds(promise: Promised, format: Format, thinking: Thinking = 'bound'): Promise<void> {
  const property = fc.asyncProperty(scenarios(format, thinking), async (scenario) => {
    const complaints = await promise(scenario);
    if (complaints.length > 0) throw new Error(complaints.slice(0, 5).join('\n'));
  });
  await fc.assert(property, {
    numRuns,
    ...(soak ? {} : { seed: 20261115 }),
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

/** Registers a test for each promise in this wire format. One file a format, so that they run side by side. */
export function promisesIn(format: Format): void {
  test('every view is valid on the wire', () => holds(isValid, format));
  test('every view is within budget, or the floor is named', () => holds(isWithinBudget, format));
  test('system prompt, first and newest user message stand word for word', () => holds(keepsWords, format));
  test('the same calls give the same bytes', () => holds(isDeterministic, format));
  test('fitting or compacting an unchanged history again changes nothing', () => holds(isIdempotent, format));
  test('between folds the view only grows at its end', () => holds(isAppendOnly, format));
  test('every dropped or masked byte comes back', () => holds(givesBack, format));
  test('what is passed in is never changed', () => holds(leavesInputAlone, format));
  test('a restored window goes on as if it had never stopped', () => holds(restores, format));
  test('a history passed in part gives the same view', () => holds(acceptsOffset, format));
  test('an edited history is noticed', () => holds(noticesEdits, format));
  test('at most four cache markers, the newest; moving them is no rewrite', () => holds(carriesMarkers, format));
}

/** For formats in which the user can speak beside tool results. */
export function asidesIn(format: Format): void {
  test('words beside tool results are kept like those of any user message', () => holds(keepsAsides, format));
}

/** For formats in which thinking may be bound to what stands before it. */
export function thinkingIn(format: Format): void {
  test('thinking stays, if bound, only behind the very view it was made from', () => holds(keepsBoundThinking, format));
  test('thinking is one unbroken run where it is kept', () => holds(keepsThinkingUnbroken, format));
  test('thinking is not touched, if free, since the last user message', () => holds(keepsFreeThinking, format, 'free'));
}
