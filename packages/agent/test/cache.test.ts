import { codingTask, type StandIn } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import { APIS, type ApiUnderTest, refused, standing } from './apis.ts';
import { sources, workshop } from './workshop.ts';

const SOAK = process.env.HOLDFAST_SOAK === '1';
const CALLS = SOAK ? 300 : 100;
/** Printed beside it: with fewer messages folds come more often, whatever the strategy. */
const MORE = [
  ['100 messages', {}],
  ['20k tokens', { max_messages: 0, max_tokens: 20_000 }],
  ['30 messages', { max_messages: 30 }],
] as const;

async function share(api: ApiUnderTest, model: string, conversation: object): Promise<number> {
  const folder = sources();
  const standIn = await standing({ script: codingTask(folder, { calls: CALLS, seed: 7 }) });
  const provider = api.provider(standIn, {
    model,
    tools: workshop(folder).tools,
    system: 'Be careful.',
    thinking: true,
  });
  const result = await provider.execute('Improve the sources.', { conversation });
  expect(result.success).toBe(true);
  expect(refused(standIn)).toEqual([]);
  const counted = shareOf(standIn);
  expect(result.cacheShare).toBeCloseTo(counted, 6);
  return counted;
}

/** Tokens read from the cache, of all that were sent, as the stand-in billed them. */
function shareOf({ requests }: StandIn): number {
  const sums = { read: 0, all: 0 };
  for (const { usage } of requests) {
    if (!usage) continue;
    const {
      input_tokens = 0,
      prompt_tokens = 0,
      cache_read_input_tokens: read,
      cache_creation_input_tokens = 0,
    } = usage as Record<string, number>;
    const details = (usage.prompt_tokens_details ?? usage.input_tokens_details) as
      | { cached_tokens: number }
      | undefined;
    sums.read += read ?? details?.cached_tokens ?? 0;
    sums.all += input_tokens + prompt_tokens + (read ?? 0) + cache_creation_input_tokens;
  }
  return sums.read / sums.all;
}

test.each(APIS)('$name: at least 90% of what is sent over a long task is read from the cache', async (api) => {
  for (const model of api.models.slice(0, SOAK ? 3 : 1)) {
    const shares: Record<string, number> = {};
    for (const strategy of ['fold', 'sliding'])
      for (const [bound, config] of [
        ['40k tokens', { max_messages: 0, max_tokens: 40_000 }],
        ...(SOAK ? MORE : []),
      ] as const)
        shares[`${strategy}, ${bound}`] = await share(api, model, { ...config, strategy });
    console.log(
      `${model}: ${Object.entries(shares)
        .map(([name, value]) => `${name} ${(100 * value).toFixed(1)}%`)
        .join(' · ')}`,
    );
    expect(shares['fold, 40k tokens']).toBeGreaterThanOrEqual(0.9);
  }
});
