import { createLedger } from '../models/ledger.ts';
import type { FoundModel, ModelOverrides } from '../models/model.ts';
import { modelInfo } from '../models/model-info.ts';
import { costOf, tokensOf } from '../models/money.ts';
import type { ExecutionResult, TokenUsage } from '../providers/provider.ts';

/** What an execution has used. */
export interface Spending {
  /** Adds an answer by the API's usage object; gives its tokens and dollars, as far as they are known. `isWhole`: nothing of the history was folded. */
  answer(
    usage: unknown,
    historyTokens: number,
    isWhole?: boolean,
  ): { readonly usage: TokenUsage; readonly cost?: number } | undefined;
  /** Adds a summary, which another model may have written; gives what it took, as far as that is known. */
  summary(usage: unknown, model: string): { readonly usage: TokenUsage; readonly cost?: number } | undefined;
  totals(): Pick<ExecutionResult, 'tokenUsage' | 'cost' | 'cacheShare'>;
}

/** Spending of one execution, `before` of which so many tokens were said. An answer whose usage never arrived is not in it. */
export function createSpending(info: FoundModel, overrides?: ModelOverrides, before = 0): Spending {
  const ledger = createLedger(info, before);
  const summaries = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  let summed: number | undefined = 0;
  return {
    answer(usage, historyTokens, isWhole) {
      const used = tokensOf(usage);
      if (!used) return undefined;
      const { cacheWrite1hTokens: _, ...tokens } = used;
      const cost = ledger.add(usage, historyTokens, isWhole);
      return { usage: tokens, ...(cost === undefined ? {} : { cost }) };
    },
    summary(usage, model) {
      const used = tokensOf(usage);
      const cost = costOf(usage, modelInfo(model, overrides).prices);
      summed = summed === undefined || cost === undefined ? undefined : summed + cost;
      if (!used) return undefined;
      for (const key of Object.keys(summaries) as (keyof typeof summaries)[]) summaries[key] += used[key];
      const { cacheWrite1hTokens: _, ...tokens } = used;
      return { usage: tokens, ...(cost === undefined ? {} : { cost }) };
    },
    totals() {
      const { cost, everything, cacheShare, ...sums } = ledger.totals();
      const spent = cost === undefined || summed === undefined ? undefined : cost + summed;
      const all = everything?.cost === undefined ? {} : { everything: everything.cost };
      return {
        tokenUsage: {
          inputTokens: sums.inputTokens + summaries.inputTokens,
          outputTokens: sums.outputTokens + summaries.outputTokens,
          cacheReadTokens: sums.cacheReadTokens + summaries.cacheReadTokens,
          cacheWriteTokens: sums.cacheWriteTokens + summaries.cacheWriteTokens,
        },
        ...(spent === undefined ? {} : { cost: { spent, ...all } }),
        cacheShare,
      };
    },
  };
}
