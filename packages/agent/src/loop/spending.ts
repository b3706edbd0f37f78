import {
  costOf,
  createLedger,
  type FoundModel,
  type ModelOverrides,
  modelInfo,
  NO_TOKENS,
  type TokenUsage,
  usageOf,
} from '@holdfast/models';
import { defined } from '../defined.ts';
import type { ExecutionResult } from '../providers/provider.ts';

/** What one request used. */
export interface Used {
  readonly usage: TokenUsage;
  readonly cost?: number;
}

/** What an execution has used. */
export type Spending = ReturnType<typeof createSpending>;

/** Spending of one execution; `before` is the size of the history at its start. Answers without a usage report do not count. */
export function createSpending(info: FoundModel, overrides?: ModelOverrides, before = 0) {
  const ledger = createLedger(info, before);
  const summaries = { ...NO_TOKENS };
  const kinds = Object.keys(summaries) as (keyof TokenUsage)[];
  let summed: number | undefined = 0;
  const used = (usage: unknown, cost: number | undefined): Used | undefined => {
    const tokens = usageOf(usage);
    return tokens && defined({ usage: tokens, cost });
  };
  return {
    /** Adds an answer by the API's usage object and returns what it used, if known. `isWhole`: nothing was folded away. */
    answer: (usage: unknown, historyTokens: number, isWhole?: boolean) =>
      usageOf(usage) && used(usage, ledger.add(usage, historyTokens, isWhole)),
    /** Adds a summary, which another model may have written, and returns what it used, if known. */
    summary(usage: unknown, model: string): Used | undefined {
      const cost = costOf(usage, modelInfo(model, overrides).prices);
      summed = summed === undefined || cost === undefined ? undefined : summed + cost;
      const spent = used(usage, cost);
      for (const kind of spent ? kinds : []) summaries[kind] += spent?.usage[kind] ?? 0;
      return spent;
    },
    totals(): Pick<ExecutionResult, 'tokenUsage' | 'cost' | 'cacheShare'> {
      const { cost, everything, cacheShare, ...sums } = ledger.totals();
      const spent = cost === undefined || summed === undefined ? undefined : cost + summed;
      const both = kinds.map((kind) => [kind, sums[kind] + summaries[kind]]);
      return defined({
        tokenUsage: Object.fromEntries(both) as unknown as TokenUsage,
        cost: spent === undefined ? undefined : defined({ spent, everything: everything?.cost }),
        cacheShare,
      });
    },
  };
}
