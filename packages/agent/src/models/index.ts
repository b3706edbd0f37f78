export { cacheRules } from '../providers/index.ts';
export { createModelLookup, type ModelLookupOptions } from '../providers/model-lookup.ts';
export { wantsBreakpoints } from '../providers/openai-api/cache.ts';
export type { AskedModel } from './ask-model.ts';
export { createLedger, type Ledger, type LedgerTotals } from './ledger.ts';
export type { FoundModel, ModelInfo, ModelOverride, ModelOverrides, Prices, TokenPrices } from './model.ts';
export { modelInfo } from './model-info.ts';
export {
  cachePrices,
  costOf,
  costOfTokens,
  pricing,
  promptOf,
  sessionTokens,
  tokensOf,
  type UsedTokens,
} from './money.ts';
export { type ModelsFile, parseModels, readModels } from './read-models.ts';
export { MODELS, MODELS_DATE } from './table.ts';
