import { costOfTokens, type ModelOverrides, modelInfo } from '@holdfast/agent/models';
import type { ModelLookup } from '@holdfast/inspector';

/** Windows and prices of models for the inspector; undefined for a model without known prices. */
export function modelLookup(overrides: ModelOverrides = {}): ModelLookup {
  return (model) => {
    const { prices, window } = modelInfo(model, overrides);
    if (!prices) return undefined;
    return {
      window,
      cost: ({ input, output, cacheRead, cacheWrite }) =>
        costOfTokens(
          {
            inputTokens: input,
            outputTokens: output,
            cacheReadTokens: cacheRead,
            cacheWriteTokens: cacheWrite,
            cacheWrite1hTokens: 0,
          },
          // A cache without a price for writing writes for the price of input.
          { ...prices, ...(prices.cache_write === undefined ? { cache_write: prices.input } : {}) },
        ),
    };
  };
}
