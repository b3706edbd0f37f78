import { createEverythingCost } from '@holdfast/sessions';
import type { ModelInfo } from './model.ts';
import { costOfTokens, pricing, promptOf, sessionTokens, tokensOf } from './money.ts';

/** The totals of many requests. */
export interface LedgerTotals {
  readonly calls: number;
  /** Dollars; undefined if the price of any call is unknown. */
  readonly cost?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
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
    /** The first of them, counted from 0. */
    readonly firstOverWindow?: number;
  };
}

const NOTHING = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

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
  const sums = { calls: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const whole = { tokens: 0, largest: 0, overWindow: 0 };
  let first: number | undefined;
  let cost: number | undefined = 0;
  let wholeCost: number | undefined = 0;
  let told = true;
  const price = pricing(model.prices);
  const everythingCost = createEverythingCost(said);

  const addWhole = (historyTokens: number, price: number | undefined) => {
    wholeCost = plus(wholeCost, price);
    whole.tokens += historyTokens;
    whole.largest = Math.max(whole.largest, historyTokens);
    if (historyTokens <= model.window) return;
    whole.overWindow++;
    first ??= sums.calls;
  };

  return {
    add(usage, historyTokens, isWhole = false) {
      const used = tokensOf(usage);
      const spent = used && model.prices && costOfTokens(used, model.prices);
      cost = plus(cost, spent);
      if (historyTokens === undefined) told = false;
      else {
        const request = { tokens: sessionTokens(used ?? NOTHING), cost: spent, historyTokens, isWhole };
        addWhole(historyTokens, everythingCost(request, price));
      }
      sums.calls++;
      sums.inputTokens += used?.inputTokens ?? 0;
      sums.outputTokens += used?.outputTokens ?? 0;
      sums.cacheReadTokens += used?.cacheReadTokens ?? 0;
      sums.cacheWriteTokens += used?.cacheWriteTokens ?? 0;
      return spent;
    },
    totals() {
      const prompts = promptOf(sums);
      const everything = {
        ...whole,
        ...(wholeCost === undefined ? {} : { cost: wholeCost }),
        ...(first === undefined ? {} : { firstOverWindow: first }),
      };
      return {
        ...sums,
        ...(cost === undefined ? {} : { cost }),
        cacheShare: prompts === 0 ? 0 : sums.cacheReadTokens / prompts,
        ...(told ? { everything } : {}),
      };
    },
  };
}

function plus(sum: number | undefined, more: number | undefined): number | undefined {
  return sum === undefined || more === undefined ? undefined : sum + more;
}
