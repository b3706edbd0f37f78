import { codingTask, FAULT_KINDS } from '@holdfast/stand-in';
import { afterAll, expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { APIS, refused, standing } from './apis.ts';
import { fileTools, sources } from './file-tools.ts';

const CALLS = SOAK ? 120 : 40;
const BOUNDS = [{ max_messages: 30 }, { max_messages: 0, max_tokens: 20_000 }, { max_messages: 60 }] as const;
const RUNS = APIS.flatMap((api) =>
  Array.from({ length: SOAK ? 50 : 2 }, (_, at) => ({
    api,
    seed: 1_000 + at,
    model: api.models[at % 3] as string,
    conversation: BOUNDS[Math.floor(at / 3) % 3] ?? {},
    thinking: at % 2 === 0,
  })),
);

/** A limit that the task can be done within: what is smaller than its floor cannot be completed, and `faults.test.ts` tells. */
const KINDS = FAULT_KINDS.map((kind) => (kind === 'too-long' ? ({ kind, limit: 10_000 } as const) : kind));

const sums = { runs: 0, requests: 0, faults: 0, calls: 0, folds: 0 };

test.each(RUNS)(
  '$api.name, $model, seed $seed, $conversation: a long task over large files, all faults mixed at 10%',
  async ({ api, model, seed, conversation, thinking }) => {
    const folder = sources();
    const script = codingTask(folder, { calls: CALLS, seed, completion: '<DONE>' });
    const standIn = await standing({ script, fault_rate: { rate: 0.1, seed, kinds: KINDS } });
    const { tools, ran } = fileTools(folder);
    const provider = api.provider(standIn, { model, tools, system: 'You are a careful programmer.', thinking });
    const result = await provider.execute('Improve the sources.', { conversation });
    expect(refused(standIn)).toEqual([]);
    expect(new Set(ran).size, 'no call runs twice').toBe(ran.length);
    const asked = standIn.requests.filter(({ method }) => method === 'POST');
    expect(asked.length, 'no loop').toBeLessThan(2 * CALLS);
    expect(result, result.error).toMatchObject({ success: true, iterationComplete: true, completionSignal: '<DONE>' });
    expect(ran.length).toBe(CALLS);
    sums.runs++;
    sums.requests += asked.length;
    sums.faults += asked.filter(({ fault }) => fault !== undefined).length;
    sums.calls += ran.length;
    sums.folds += result.folds ?? 0;
  },
);

afterAll(() => console.log(`mixed faults: ${JSON.stringify(sums)}`));
