import { modelInfo } from '@holdfast/models';
import { expect, test, vi } from 'vitest';
import { plannedBudget } from '../loop/window-config.ts';
import { PROVIDERS } from '../providers/index.ts';
import { createProvider } from './create-provider.ts';

test('making a provider and planning a budget send nothing', () => {
  const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
  const types = PROVIDERS.map(({ type }) => type).filter((type) => type !== 'stand-in');
  expect(types.map((type) => createProvider({ type }).name)).toEqual(types);
  expect(createProvider({}).name).toBe(types[0]);
  expect(plannedBudget({}, modelInfo('claude-opus-5-5'), undefined).messages).toBe(Number.POSITIVE_INFINITY);
  expect(fetch).not.toHaveBeenCalled();
  fetch.mockRestore();
});

test('an unknown provider is refused with the known ones', () => {
  const config = { type: 'anthropic' } as unknown as { type: 'anthropic-api' };
  expect(() => createProvider(config)).toThrow(
    'unknown provider "anthropic": expected one of anthropic-api, openai-api',
  );
});

test.each(['anthropic-api', 'openai-api', 'gemini-api'] as const)(
  '%s: an empty model or base_url counts as not set',
  async (type) => {
    const { defaultModel = '', server } = PROVIDERS.find((one) => one.type === type) ?? {};
    vi.stubEnv(server?.baseUrlVariable ?? '', undefined);
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
    const provider = createProvider({ type, model: '', base_url: '' }, {}, 'key');
    await provider.execute('hello', { max_retries: 0 } as object);
    const sent = fetch.mock.calls.map(([url, init]) => `${url instanceof Request ? url.url : url} ${init?.body ?? ''}`);
    fetch.mockRestore();
    vi.unstubAllEnvs();
    expect(sent).not.toEqual([]);
    for (const request of sent) expect(request).toContain(new URL(server?.base_url ?? '').host);
    expect(sent.at(-1)).toContain(defaultModel);
  },
);

test.each(['claude-cli', 'cursor-cli'] as const)('%s: an empty program or model counts as not set', async (type) => {
  const { program } = PROVIDERS.find((one) => one.type === type) ?? {};
  vi.stubEnv('PATH', '/nowhere');
  const { error } = await createProvider({ type, program: '', model: '' }).execute('hello');
  vi.unstubAllEnvs();
  expect(error).toContain(`program "${program?.name}" not found`);
});
