import { createLedger } from '../models/ledger.ts';
import type { FoundModel, ModelOverrides } from '../models/model.ts';
import { modelInfo } from '../models/model-info.ts';
import { costOf, tokensOf } from '../models/money.ts';
import type { ExecutionResult, TokenUsage } from '../providers/provider.ts';

/** What one request used. */
interface Used {
  readonly usage: TokenUsage;
  readonly cost?: number;
}

/** What an execution has used. */
export interface Spending {
  /** Adds an answer by the API's usage object and returns what it used, if known. `isWhole`: nothing was folded away. */
  answer(usage: unknown, historyTokens: number, isWhole?: boolean): Used | undefined;
  /** Adds a summary, which another model may have written, and returns what it used, if known. */
  summary(usage: unknown, model: string): Used | undefined;
  totals(): Pick<ExecutionResult, 'tokenUsage' | 'cost' | 'cacheShare'>;
}

/** Spending of one execution; `before` is the size of the history at its start. Answers without a usage report do not count. */
export function createSpending(info: FoundModel, overrides?: ModelOverrides, before = 0): Spending {
  const ledger = createLedger(info, before);
  const summaries = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const kinds = Object.keys(summaries) as (keyof TokenUsage)[];
  let summed: number | undefined = 0;
  const used = (usage: unknown, cost: number | undefined): Used | undefined => {
    const found = tokensOf(usage);
    if (!found) return undefined;
    const { cacheWrite1hTokens: _, ...tokens } = found;
    return { usage: tokens, ...(cost === undefined ? {} : { cost }) };
  };
  return {
    answer: (usage, historyTokens, isWhole) =>
      tokensOf(usage) && used(usage, ledger.add(usage, historyTokens, isWhole)),
    summary(usage, model) {
      const cost = costOf(usage, modelInfo(model, overrides).prices);
      summed = summed === undefined || cost === undefined ? undefined : summed + cost;
      const spent = used(usage, cost);
      for (const kind of spent ? kinds : []) summaries[kind] += spent?.usage[kind] ?? 0;
      return spent;
    },
    totals() {
      const { cost, everything, cacheShare, ...sums } = ledger.totals();
      const spent = cost === undefined || summed === undefined ? undefined : cost + summed;
      const all = everything?.cost === undefined ? {} : { everything: everything.cost };
      return {
        tokenUsage: Object.fromEntries(
          kinds.map((kind) => [kind, sums[kind] + summaries[kind]]),
        ) as unknown as TokenUsage,
        ...(spent === undefined ? {} : { cost: { spent, ...all } }),
        cacheShare,
      };
    },
  };
}
