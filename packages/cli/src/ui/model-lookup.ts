import type { ModelLookup } from '@holdfast/inspector';
import { type ModelOverrides, modelInfo, pricing } from '@holdfast/models';

/** Windows and prices of models for the inspector; undefined for a model without known prices. */
export function modelLookup(overrides: ModelOverrides = {}): ModelLookup {
  return (model) => {
    const { prices, window } = modelInfo(model, overrides);
    return prices && { window, cost: pricing(prices) };
  };
}
