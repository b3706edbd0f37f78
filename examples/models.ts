import { createModelLookup } from '@holdfast/agent';
import { readModels } from '@holdfast/agent/config';
import { costOf, createLedger, defaultBudget, type FoundModel, type ModelOverrides, modelInfo } from '@holdfast/models';

/** Looks up a model; overrides replace or extend the table. */
export function lookUp(id: string): FoundModel {
  const overrides: ModelOverrides = {
    'gpt-6-sol': { window: 922_000 },
    'qwen-coder-local': { provider: 'openai', window: 32_768, max_output: 4_096, thinking: 'none' },
  };
  const model = modelInfo(id, overrides);
  if (!model.known) console.warn(`${id} is unknown: guessing a window of ${model.window} tokens`);
  return model;
}

/** The budget of a conversation with a model, and why. */
export function budgetOf(id: string): string {
  const { tokens, why } = defaultBudget(modelInfo(id));
  return `${tokens} tokens: ${why}`;
}

/** Reads overrides from the text of a JSON file. */
export function fromFile(text: string): ModelOverrides {
  return readModels(JSON.parse(text), 'models.json');
}

/** Returns the context window that the server reports, or the one in the table. */
export async function announcedWindow(base_url: string, key: string, id: string): Promise<number> {
  const ask = createModelLookup({ provider: 'anthropic-api', base_url, key });
  const { window = modelInfo(id).window } = await ask(id);
  return window;
}

/** Adds up two requests, and estimates their cost with the full history in each. */
export function account() {
  const model = modelInfo('claude-opus-5-5');
  const ledger = createLedger(model);
  const usage = {
    input_tokens: 0,
    cache_creation_input_tokens: 20_000,
    cache_read_input_tokens: 0,
    output_tokens: 500,
  };
  ledger.add(usage, 20_000, true); // it had the whole history
  ledger.add({ ...usage, cache_creation_input_tokens: 1_000, cache_read_input_tokens: 20_000 }, 90_000);
  const { cost, cacheShare, everything } = ledger.totals();
  return { first: costOf(usage, model.prices), cost, cacheShare, everything };
}
