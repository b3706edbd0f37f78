import type { ExecutionResult, TokenUsage } from '@holdfast/agent';
import type { UnboundedTotals } from './unbounded.ts';

/** What an agent, or the whole crew, used in one request. Plain data. */
export interface AgentUsage {
  /** Turns, requests to models, and calls of tools. */
  readonly rounds: number;
  readonly requests: number;
  readonly calls: number;
  readonly folds: number;
  readonly tokens: TokenUsage;
  /** Dollars; undefined as soon as one price is not known. */
  readonly cost?: number;
  /**
   * What the same requests would have cost with all in them that was ever said, and the provider's cache as it would have been
   * then; undefined where that is not known. Less than `cost` where pruning costs more than it saves.
   */
  readonly everything?: number;
  /** Tokens that were not sent because they had been pruned or folded. */
  readonly tokens_saved: number;
  /** The newest request: what was in the window, and what may be. */
  readonly context?: ContextUse;
}

export interface ContextUse {
  readonly messages: number;
  readonly tokens: number;
  readonly estimated: boolean;
  readonly max: { readonly messages: number; readonly tokens: number };
}

/** Each agent's part, and all of them together. */
export interface CrewUsage {
  readonly agents: Readonly<Record<string, AgentUsage>>;
  readonly crew: Omit<AgentUsage, 'context'>;
}

const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
export const NO_USAGE: AgentUsage = {
  rounds: 0,
  requests: 0,
  calls: 0,
  folds: 0,
  tokens: NO_TOKENS,
  cost: 0,
  everything: 0,
  tokens_saved: 0,
};

/** Two usages as one; the context is that of the second. Pure. */
export function addUsage(a: AgentUsage, b: AgentUsage): AgentUsage {
  const cost = plus(a.cost, b.cost);
  const everything = plus(a.everything, b.everything);
  const context = b.context ?? a.context;
  return {
    rounds: a.rounds + b.rounds,
    requests: a.requests + b.requests,
    calls: a.calls + b.calls,
    folds: a.folds + b.folds,
    tokens: addTokens(a.tokens, b.tokens),
    tokens_saved: a.tokens_saved + b.tokens_saved,
    ...(cost === undefined ? {} : { cost }),
    ...(everything === undefined ? {} : { everything }),
    ...(context ? { context } : {}),
  };
}

/** Every agent's usage with the sum of all. Pure. */
export function rollUp(agents: Readonly<Record<string, AgentUsage>>): CrewUsage {
  const { context: _, ...crew } = Object.values(agents).reduce(addUsage, NO_USAGE);
  return { agents, crew };
}

/** What a turn used, by its result; `unbounded`: what it would have been with nothing left out, where that is known. Pure. */
export function usageOf(
  result: ExecutionResult,
  turn: { readonly calls: number; readonly context?: ContextUse; readonly unbounded: UnboundedTotals | undefined },
): AgentUsage {
  const { spent, everything = spent } = result.cost ?? {};
  const all = turn.unbounded ? turn.unbounded.cost : everything;
  return {
    rounds: 1,
    requests: result.requests ?? 0,
    calls: turn.calls,
    folds: result.folds ?? 0,
    tokens: result.tokenUsage ?? NO_TOKENS,
    tokens_saved: Math.round(turn.unbounded?.tokens ?? 0),
    // Without a request there was nothing to pay.
    ...(spent === undefined ? (result.requests ? {} : { cost: 0 }) : { cost: spent }),
    ...(all === undefined ? (result.requests ? {} : { everything: 0 }) : { everything: all }),
    ...(turn.context ? { context: turn.context } : {}),
  };
}

function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

function plus(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}
