import { modelInfo } from '@holdfast/models';
import { expect, test } from 'vitest';
import { readModels } from './read-models.ts';

test('overrides come from plain data', () => {
  const data = {
    'claude-haiku-5-5': { prices: { input: 1, output: 5, tiers: [{ above: 100_000, input: 5, output: 25 }] } },
  };
  const overrides = readModels(JSON.parse(JSON.stringify(data)));
  expect(modelInfo('claude-haiku-5-5', overrides).prices).toEqual(data['claude-haiku-5-5'].prices);
});

test.each([
  [[], 'models: must be a map of models by id'],
  [{ a: 3 }, 'models["a"]: must be a map'],
  [{ a: { windw: 3 } }, 'models["a"].windw: is not a known key: expected one of provider, window'],
  [{ a: { window: '200k' } }, 'models["a"].window: must be a whole number of tokens above 0'],
  [{ a: { provider: 'antropic' } }, 'models["a"].provider: must be one of anthropic, openai'],
  [{ a: { thinking: 'bond' } }, 'models["a"].thinking: must be one of bound, free, none'],
  [{ a: { cache: { minimum: 0 } } }, 'models["a"].cache.minimum: must be a whole number'],
  [{ a: { prices: { input: -1 } } }, 'models["a"].prices.input: must be dollars'],
  [{ a: { prices: { tiers: [{ above: 5 }, { input: 3 }] } } }, 'models["a"].prices.tiers[1].above: is missing'],
])('%j is refused with its place', (data, message) => {
  expect(() => readModels(data)).toThrow(message);
  expect(() => readModels(data)).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }));
});
