import { expect, test, vi } from 'vitest';
import { plannedBudget } from '../loop/window-config.ts';
import { modelInfo } from '../models/model-info.ts';
import { PROVIDERS } from '../providers/index.ts';
import { createProvider } from './create-provider.ts';

test('making a provider and planning a budget send nothing', () => {
  const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
  const types = PROVIDERS.map(({ type }) => type).filter((type) => type !== 'stand-in');
  expect(types.map((type) => createProvider({ type }).name)).toEqual(types);
  expect(createProvider({}).name).toBe(types[0]);
  expect(plannedBudget({}, modelInfo('claude-opus-5-5'), undefined).messages).toBe(100);
  expect(fetch).not.toHaveBeenCalled();
  fetch.mockRestore();
});

test('an unknown provider is refused with the known ones', () => {
  const config = { type: 'anthropic' } as unknown as { type: 'anthropic-api' };
  expect(() => createProvider(config)).toThrow(
    'unknown provider "anthropic": expected one of anthropic-api, openai-api',
  );
});
