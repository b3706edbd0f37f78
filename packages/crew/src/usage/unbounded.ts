import type { ModelOverrides, TokenUsage } from '@holdfast/agent';
import { createLedger, type Ledger, modelInfo, promptOf } from '@holdfast/agent';

/** A request for an answer: what it took, and the tokens of the agent's own window that it did not have. */
export interface Report {
  readonly usage: TokenUsage;
  readonly model: string;
  readonly cost?: number;
  readonly unsent: number;
}

/** What an agent was told when it was first asked in a request, in characters. */
export interface FirstTold {
  /** All of its first request, system prompt and tools with it. */
  readonly sent: number;
  /** Of what was ever said, what it was not told. */
  readonly hidden: number;
  /** Of what was ever said, what was said since it was asked before; Infinity if no cache can have that any more. */
  readonly fresh: number;
  /** The same from the first message on that its request before did not have as it stands now. */
  readonly fresh_messages: number;
}

/** What nothing pruned and nothing folded would have come to; the cost is undefined where a price is not known. */
export interface UnboundedTotals {
  readonly cost?: number;
  /** Tokens more than were sent. */
  readonly tokens: number;
}

/** Reckons what an agent's requests would have cost with all in them that was ever said. */
export interface Unbounded {
  add(report: Report): void;
  totals(): UnboundedTotals;
}

/**
 * A request that nothing was left out of is what it was. Others are reckoned as providers do: what the request before had is
 * read from the cache, the rest is written. The request before may be one of an earlier request to the crew, which had all
 * but what is fresh. A character takes the tokens that it took in the first request.
 */
export function createUnbounded(told: FirstTold, models?: ModelOverrides): Unbounded {
  let ledger: Ledger | undefined;
  let hidden = 0;
  let tokens = 0;
  let cost: number | undefined = 0;
  return {
    add(report) {
      const { usage, model, unsent } = report;
      const prompt = promptOf(usage);
      if (!ledger) {
        const rate = prompt / Math.max(1, told.sent);
        hidden = rate * told.hidden;
        const info = modelInfo(model, models);
        // Anthropic's cache knows whole blocks, OpenAI's the beginning of the text.
        const fresh = info.provider === 'openai' ? told.fresh : told.fresh_messages;
        ledger = createLedger(info, Math.max(0, prompt + unsent + hidden - rate * fresh));
      }
      const all = Math.max(0, prompt + unsent + hidden);
      const before = ledger.totals().everything?.cost;
      ledger.add({ input_tokens: prompt, output_tokens: usage.outputTokens }, all);
      const after = ledger.totals().everything?.cost;
      const reckoned = before === undefined || after === undefined ? undefined : after - before;
      const own = told.hidden === 0 && unsent === 0 ? report.cost : reckoned;
      cost = cost === undefined || own === undefined ? undefined : cost + own;
      tokens += Math.max(0, all - prompt);
    },
    totals: () => ({ tokens, ...(cost === undefined ? {} : { cost }) }),
  };
}
