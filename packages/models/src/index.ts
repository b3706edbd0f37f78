export { cacheRules } from './cache-rules.ts';
export {
  answerRoom,
  boundedConfig,
  budgetProblem,
  type DefaultBudget,
  defaultBudget,
  leastBudget,
  USEFUL_BUDGET,
} from './default-budget.ts';
export {
  type AnsweredRequest,
  createEverythingCost,
  createEverythingCosts,
  type EverythingCost,
} from './everything-cost.ts';
export { createLedger, type Ledger, type LedgerTotals } from './ledger.ts';
export { lookbackOf } from './makers/anthropic.ts';
export { wantsBreakpoints } from './makers/openai.ts';
export type { CacheRules, FoundModel, ModelInfo, ModelOverride, ModelOverrides, Prices, TokenPrices } from './model.ts';
export { modelInfo } from './model-info.ts';
export {
  cachePrices,
  costOf,
  costOfTokens,
  NO_TOKENS,
  pricing,
  promptOf,
  sessionTokens,
  tokensOf,
  type UsedTokens,
  usageOf,
} from './money.ts';
export { MODELS, MODELS_DATE } from './table.ts';
export type { SessionTokens, TokenUsage } from './token-usage.ts';
