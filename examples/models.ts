import {
  costOf,
  createLedger,
  createModelLookup,
  type FoundModel,
  type ModelOverrides,
  modelInfo,
  readModels,
} from '@holdfast/agent';

/** What is known of a model, with what the user knows better. */
export function lookUp(id: string): FoundModel {
  const overrides: ModelOverrides = {
    'gpt-6-sol': { window: 922_000 },
    'qwen-coder-local': { provider: 'openai', window: 32_768, max_output: 4_096, thinking: 'none' },
  };
  const model = modelInfo(id, overrides);
  if (!model.known) console.warn(`${id} is not known: guessing a window of ${model.window} tokens`);
  return model;
}

/** Overrides from the text of a JSON file. */
export function fromFile(text: string): ModelOverrides {
  return readModels(JSON.parse(text), 'models.json');
}

/** The window that a server announces, or the table's. */
export async function announcedWindow(base_url: string, key: string, id: string): Promise<number> {
  const ask = createModelLookup({ provider: 'anthropic', base_url, key });
  const { window = modelInfo(id).window } = await ask(id);
  return window;
}

/** What two requests cost, and what they would have cost with the whole history in them. */
export function account() {
  const model = modelInfo('claude-opus-5-5');
  const ledger = createLedger(model);
  const usage = {
    input_tokens: 0,
    cache_creation_input_tokens: 20_000,
    cache_read_input_tokens: 0,
    output_tokens: 500,
  };
  ledger.add(usage, 20_000);
  ledger.add({ ...usage, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 20_000 }, 90_000);
  const { cost, cacheShare, everything } = ledger.totals();
  return { first: costOf(usage, model.prices), cost, cacheShare, everything };
}
