import { MODELS } from '@holdfast/models';
import { codingTask, type StandIn } from '@holdfast/stand-in';
import type { StrategyName } from 'holdfast';
import { expect, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import type { ProviderEvent } from '../src/index.ts';
import { APIS, type ApiUnderTest, refused, standing } from './apis.ts';
import { fileTools, smallFiles, sources } from './file-tools.ts';

const CALLS = SOAK ? 300 : 100;
const MESSAGES = 30;
const TWENTY = { max_messages: 0, max_tokens: 20_000 };
const SMALL = 'no large result';
const BOUNDS: Readonly<Record<string, object>> = {
  [`${MESSAGES} messages`]: { max_messages: MESSAGES },
  '20k tokens': TWENTY,
  ...(SOAK
    ? { '40k tokens': { max_messages: 0, max_tokens: 40_000 }, [`20k tokens, ${SMALL}`]: TWENTY, '100 messages': {} }
    : {}),
};
/** What a provider may lose of that: a request is cached in steps on some models. */
const LOSS = 0.025;

interface Measured {
  readonly share: number;
  /** What the same requests would have read of all that the one before had, and after a fold of the head alone. */
  readonly least: number;
  readonly folds: number;
  readonly requests: number;
  /** Messages that a request adds. */
  readonly adds: number;
  /** In dollars. */
  readonly bill: number;
}

async function measured(api: ApiUnderTest, model: string, bound: string, strategy: StrategyName): Promise<Measured> {
  const conversation = { ...BOUNDS[bound], strategy };
  const folder = bound.endsWith(SMALL) ? sources(smallFiles()) : sources();
  const standIn = await standing({ script: codingTask(folder, { calls: CALLS, seed: 7 }), keep_bodies: 1 });
  const { tools } = fileTools(folder);
  const events: ProviderEvent[] = [];
  const provider = api.provider(standIn, { model, tools, system: 'Be careful.', thinking: true });
  const result = await provider.execute('Improve the sources.', {
    conversation,
    onEvent: (event) => event.type !== 'text-delta' && events.push(event),
  });
  expect(result.success).toBe(true);
  expect(refused(standIn)).toEqual([]);
  const share = shareOf(standIn);
  expect(result.cacheShare).toBeCloseTo(share, 6);
  const { folds = 0, requests = 1, cost } = result;
  const history = events.findLast(({ type }) => type === 'fold-end') as { receipt?: { turns: { to: number }[] } };
  const last = history?.receipt?.turns.at(-1)?.to ?? 0;
  const until = events.slice(0, events.indexOf(history as ProviderEvent)).filter(({ type }) => type === 'usage-report');
  return {
    share,
    least: leastOf(events, model),
    folds,
    requests,
    adds: last / Math.max(1, until.length),
    bill: cost?.spent ?? 0,
  };
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
      promptTokenCount = 0,
      cachedContentTokenCount = 0,
    } = usage as Record<string, number>;
    const details = (usage.prompt_tokens_details ?? usage.input_tokens_details) as
      | { cached_tokens: number }
      | undefined;
    sums.read += read ?? details?.cached_tokens ?? cachedContentTokenCount;
    sums.all += input_tokens + prompt_tokens + (read ?? 0) + cache_creation_input_tokens + promptTokenCount;
  }
  return sums.read / sums.all;
}

function leastOf(events: readonly ProviderEvent[], model: string): number {
  const minimum = MODELS[model]?.cache.minimum ?? 0;
  const sums = { read: 0, all: 0, before: 0, head: 0 };
  let folded = false;
  let messages = 0;
  for (const event of events) {
    // A fold that only shortens what was never sent leaves the cache as it is.
    if (event.type === 'fold-end') folded ||= event.receipt.changedFrom < messages;
    if (event.type === 'view-ready') messages = event.messages;
    if (event.type !== 'usage-report') continue;
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
    const sent = inputTokens + cacheReadTokens + cacheWriteTokens;
    const known = folded ? sums.head : sums.before;
    sums.read += known >= minimum ? known : 0;
    sums.all += sent;
    sums.before = sent;
    sums.head ||= sent;
    folded = false;
  }
  return sums.read / sums.all;
}

const percent = (value: number) => `${(100 * value).toFixed(1)}%`;

test.each(APIS)(
  '$name: a long task reads as much as possible from the cache',
  async (api) => {
    for (const model of api.models.slice(0, SOAK ? 3 : 1)) {
      const lines: string[] = [];
      for (const name of Object.keys(BOUNDS)) {
        const fold = await measured(api, model, name, 'fold');
        const sliding = await measured(api, model, name, 'sliding');
        const { share, folds, requests, adds } = fold;
        const n = Number(name.split(' ')[0]);
        // Messages alike, n in a full window, a more with each request, a fold that keeps none: 1 - 2a/n are read.
        const all = name.endsWith('messages')
          ? ` · ${adds.toFixed(1)} messages a request: ${percent(1 - (2 * adds) / n)} if folds kept nothing`
          : '';
        lines.push(
          `${model}, ${name}: fold ${percent(share)}, $${fold.bill.toFixed(2)} (${folds} folds, ${requests} requests) · sliding ${percent(sliding.share)}, $${sliding.bill.toFixed(2)}${all}`,
        );
        for (const one of [fold, sliding]) expect(one.share, name).toBeGreaterThan(one.least - LOSS);
        // Without large results folds by price come sooner than the cache would like: there the bill tells.
        if (name.endsWith('tokens')) expect(share, name).toBeGreaterThanOrEqual(0.88);
        // A fold keeps words and reads that sliding drops. In small windows that costs a little more, in larger ones it still saves.
        const most = name.startsWith('40k') ? 1 : 1.2;
        expect(fold.bill, name).toBeLessThan(most * sliding.bill);
      }
      console.log(lines.join('\n'));
    }
  },
  900_000,
);

test('folds depend on the model’s prices: with a very cheap cache they are rarer', async () => {
  const [api] = APIS;
  const folds = async (cache_read: number) => {
    const folder = sources(smallFiles());
    const standIn = await standing({ script: codingTask(folder, { calls: 60, seed: 7 }), keep_bodies: 1 });
    const { tools } = fileTools(folder);
    const [model = ''] = api?.models ?? [];
    const models = { [model]: { prices: { input: 1, output: 5, cache_read, cache_write: 1.25 } } };
    const provider = api?.provider(standIn, { model, tools, models });
    const result = await provider?.execute('Improve the sources.', { conversation: TWENTY });
    expect(result?.success).toBe(true);
    return result?.folds ?? 0;
  };
  expect(await folds(0.5)).toBeGreaterThan(await folds(0.001));
});
