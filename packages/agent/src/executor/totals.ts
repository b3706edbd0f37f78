import type { TokenUsage } from '@holdfast/models';
import type { Cost, ExecutionResult, Progress } from '../providers/provider.ts';

/** What a run used, over all executions and processes. Plain JSON. */
export interface Totals {
  readonly calls: number;
  readonly requests: number;
  readonly folds: number;
  readonly tokenUsage: TokenUsage;
  /** Undefined once the prices of an execution were unknown. */
  readonly cost?: Cost;
  /** The first ones by name. */
  readonly filesChanged: readonly string[];
  readonly filesChangedCount: number;
  readonly elapsedMs: number;
}

export const NOTHING: Totals = {
  calls: 0,
  requests: 0,
  folds: 0,
  tokenUsage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  cost: { spent: 0, everything: 0 },
  filesChanged: [],
  filesChangedCount: 0,
  elapsedMs: 0,
};

/** The totals with what an execution used. Pure. */
export function addProgress(totals: Totals, progress: Progress | ExecutionResult): Totals {
  const { tokenUsage: used, cost, requests = 0, folds = 0, filesChanged } = progress;
  const { cost: before, tokenUsage } = totals;
  const sum = (key: keyof TokenUsage) => tokenUsage[key] + (used?.[key] ?? 0);
  const { cost: _, ...rest } = totals;
  // No requests cost nothing, even at unknown prices.
  const spent = cost ?? (requests === 0 ? { spent: 0, everything: 0 } : undefined);
  return {
    ...rest,
    requests: totals.requests + requests,
    folds: totals.folds + folds,
    tokenUsage: {
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
      cacheReadTokens: sum('cacheReadTokens'),
      cacheWriteTokens: sum('cacheWriteTokens'),
    },
    ...(before && spent ? { cost: addCost(before, spent) } : {}),
    ...addFiles(totals, filesChanged),
  };
}

/** Most names to keep: a command may change any number of files, and the totals are written at every step. */
const MOST_FILES = 200;

/** Beyond those names, a file that changes again counts again. */
function addFiles({ filesChanged: before, filesChangedCount: count }: Totals, changed: readonly string[]) {
  const known = new Set(before);
  const fresh = [...new Set(changed)].filter((path) => !known.has(path));
  return {
    filesChanged: [...before, ...fresh].slice(0, MOST_FILES),
    filesChangedCount: count + fresh.length,
  };
}

function addCost(a: Cost, b: Cost): Cost {
  const everything = a.everything === undefined || b.everything === undefined ? undefined : a.everything + b.everything;
  return { spent: a.spent + b.spent, ...(everything === undefined ? {} : { everything }) };
}

/** Share of the tokens sent that were read from a cache. Pure. */
export function cacheShareOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: TokenUsage): number {
  const sent = inputTokens + cacheReadTokens + cacheWriteTokens;
  return sent === 0 ? 0 : cacheReadTokens / sent;
}
