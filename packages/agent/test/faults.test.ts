import { codingTask, FAULT_KINDS, type Fault } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import type { ExecutionResult } from '../src/index.ts';
import { APIS, type ApiUnderTest, refused, standing } from './apis.ts';
import { fileTools, sources } from './file-tools.ts';

const SMALL = { 'src/a.ts': 'export const a = 1;\n'.repeat(400), 'src/b.ts': 'export const b_long_enough = 2;\nx' };
const CALLS = 24;

async function underFaults(api: ApiUnderTest, faults: Parameters<typeof standing>[0]) {
  const folder = sources(SMALL);
  const standIn = await standing({ ...faults, script: codingTask(folder, { calls: CALLS, seed: 3 }) });
  const { tools, ran } = fileTools(folder);
  const provider = api.provider(standIn, { model: api.models[0], tools, system: 'Be careful.', thinking: true });
  const result = await provider.execute('Improve the sources.', { conversation: { max_messages: 30 } });
  expect(refused(standIn)).toEqual([]);
  expect(new Set(ran).size, 'no call runs twice').toBe(ran.length);
  return { result, ran, standIn };
}

const PASSING = FAULT_KINDS.filter((kind) => kind !== 'too-long');
const ALONE = APIS.flatMap((api) => PASSING.map((kind) => ({ api, kind })));
const QUICKLY: Fault = { kind: 'slow', bytes: 400, pause_ms: 1 };

test.each(ALONE)('$api.name: the task completes although every third request meets $kind', async ({ api, kind }) => {
  const fault = kind === 'slow' ? QUICKLY : kind;
  const every = Array.from({ length: 3 * CALLS }, (_, at) => (at % 3 === 2 ? fault : undefined));
  const { result, ran, standIn } = await underFaults(api, { faults: every });
  expect(result).toMatchObject({ success: true, iterationComplete: true });
  expect(ran.length).toBe(CALLS);
  expect(standIn.requests.length).toBeLessThan(3 * CALLS);
});

const TOO_LONG = 'too-long' as const;

test.each(APIS)('$name: a prompt rejected as too long is folded below the API’s limit, up to twice', async (api) => {
  // At a moment when there is something to fold away: what the fault says is a share of what was sent.
  const quiet = Array.from({ length: 8 }, () => undefined);
  const { result, ran } = await underFaults(api, { faults: [...quiet, TOO_LONG, TOO_LONG] });
  expect(result).toMatchObject({ success: true, iterationComplete: true });
  expect(result.folds).toBeGreaterThanOrEqual(2);
  expect(ran.length).toBe(CALLS);
});

test.each(APIS)('$name: a prompt that is always too long ends with that error, not with a loop', async (api) => {
  const quiet = Array.from({ length: 9 }, () => undefined);
  const { result, standIn } = await underFaults(api, { faults: [...quiet, ...Array(20).fill(TOO_LONG)] });
  expect(result).toMatchObject({ success: false, errorCategory: 'context_overflow' });
  expect(standIn.requests.filter(({ fault }) => fault === TOO_LONG).length).toBeLessThanOrEqual(3);
});

const SEEDS = Array.from({ length: SOAK ? 50 : 3 }, (_, seed) => seed + 1);
const MIXED = SEEDS.map((seed) => ({ seed, api: APIS[seed % 3] as ApiUnderTest }));

test.each(MIXED)(
  '$api.name: all faults mixed at 10%, seed $seed: complete, or stopped by the right error',
  async ({ api, seed }) => {
    const { result, ran, standIn } = await underFaults(api, { fault_rate: { rate: 0.1, seed } });
    if (result.success) expect(ran.length).toBe(CALLS);
    else expect(isFloor(result), result.error).toBe(true);
    expect(standIn.requests.length).toBeLessThan(3 * CALLS);
  },
);

/** The prompt alone was said to be too long: there is nothing to fold away. */
function isFloor({ errorCategory, error = '' }: ExecutionResult): boolean {
  return errorCategory === 'context_overflow' && /reserve \d+.*newest user message \d+/.test(error);
}
