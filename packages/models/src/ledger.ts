import { createEverythingCost } from './everything-cost.ts';
import type { ModelInfo } from './model.ts';
import { costOfTokens, NO_TOKENS, pricing, promptOf, sessionTokens, tokensOf } from './money.ts';
import type { TokenUsage } from './token-usage.ts';

/** The totals of many requests. */
export interface LedgerTotals extends TokenUsage {
  readonly calls: number;
  /** Dollars; undefined if the price of any call is unknown. */
  readonly cost?: number;
  /** Share of all prompts that was read from the cache; 0 without calls. */
  readonly cacheShare: number;
  /** The same calls with the full history in each; undefined if its size is unknown for any call. */
  readonly everything?: {
    /** Dollars, as if everything had fitted; undefined if a price is unknown. */
    readonly cost?: number;
    /** Tokens of all prompts. */
    readonly tokens: number;
    readonly largest: number;
    /** Calls whose history would not have fitted into the context window. */
    readonly overWindow: number;
  };
}

const KINDS = Object.keys(NO_TOKENS) as (keyof TokenUsage)[];

/** Adds up requests. */
export interface Ledger {
  /**
   * Adds one request by the provider's usage object, and returns its dollars, if known. `historyTokens`: the size of the
   * prompt with the full history; `isWhole`: the prompt had it, so both costs are the same.
   */
  add(usage: unknown, historyTokens?: number, isWhole?: boolean): number | undefined;
  totals(): LedgerTotals;
}

/** A ledger for one conversation with one model. `said`: the tokens that earlier ledgers sent, as for `createEverythingCost`. */
export function createLedger(model: Pick<ModelInfo, 'window' | 'prices'>, said?: number): Ledger {
  const sums = { calls: 0, ...NO_TOKENS };
  const whole = { tokens: 0, largest: 0, overWindow: 0 };
  let cost: number | undefined = 0;
  let wholeCost: number | undefined = 0;
  let told = true;
  const price = pricing(model.prices);
  const everythingCost = createEverythingCost(said);

  const addWhole = (historyTokens: number, price: number | undefined) => {
    wholeCost = plus(wholeCost, price);
    whole.tokens += historyTokens;
    whole.largest = Math.max(whole.largest, historyTokens);
    if (historyTokens > model.window) whole.overWindow++;
  };

  return {
    add(usage, historyTokens, isWhole = false) {
      const used = tokensOf(usage);
      const spent = used && model.prices && costOfTokens(used, model.prices);
      cost = plus(cost, spent);
      if (historyTokens === undefined) told = false;
      else {
        const request = { tokens: sessionTokens(used ?? NO_TOKENS), cost: spent, historyTokens, isWhole };
        addWhole(historyTokens, everythingCost(request, price));
      }
      sums.calls++;
      for (const kind of KINDS) sums[kind] += used?.[kind] ?? 0;
      return spent;
    },
    totals() {
      const prompts = promptOf(sums);
      const everything = { ...whole, ...(wholeCost === undefined ? {} : { cost: wholeCost }) };
      const cacheShare = prompts === 0 ? 0 : sums.cacheReadTokens / prompts;
      return { ...sums, cacheShare, ...(cost === undefined ? {} : { cost }), ...(told ? { everything } : {}) };
    },
  };
}

function plus(sum: number | undefined, more: number | undefined): number | undefined {
  return sum === undefined || more === undefined ? undefined : sum + more;
}
