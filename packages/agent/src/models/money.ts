import type { CachePrices } from 'holdfast';
import type { TokenUsage } from '../providers/provider.ts';
import type { ModelInfo, Prices, TokenPrices } from './model.ts';

/** A provider's usage object, taken apart. */
export interface UsedTokens extends TokenUsage {
  /** Those of `cacheWriteTokens` that were written to be kept for an hour. */
  readonly cacheWrite1hTokens: number;
}

/** The tokens in a usage object of Anthropic's, of Chat Completions or of Responses; undefined if it is none. Pure. */
export function tokensOf(usage: unknown): UsedTokens | undefined {
  if (!isRecord(usage)) return undefined;
  const chat = 'prompt_tokens' in usage;
  const total = number(chat ? usage.prompt_tokens : usage.input_tokens);
  const outputTokens = number(chat ? usage.completion_tokens : usage.output_tokens) ?? 0;
  if (total === undefined) return undefined;
  const details = chat ? usage.prompt_tokens_details : usage.input_tokens_details;
  if (chat || isRecord(details)) {
    // OpenAI's total holds what was read and written, Anthropic's does not.
    const { cached_tokens, cache_write_tokens } = isRecord(details) ? details : {};
    const cacheReadTokens = Math.min(total, number(cached_tokens) ?? 0);
    const cacheWriteTokens = Math.min(total - cacheReadTokens, number(cache_write_tokens) ?? 0);
    const inputTokens = total - cacheReadTokens - cacheWriteTokens;
    return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens: 0 };
  }
  const kinds = isRecord(usage.cache_creation) ? usage.cache_creation : {};
  const hour = number(kinds.ephemeral_1h_input_tokens) ?? 0;
  const written = number(usage.cache_creation_input_tokens) ?? hour + (number(kinds.ephemeral_5m_input_tokens) ?? 0);
  return {
    inputTokens: total,
    outputTokens,
    cacheReadTokens: number(usage.cache_read_input_tokens) ?? 0,
    cacheWriteTokens: written,
    cacheWrite1hTokens: Math.min(hour, written),
  };
}

/** All tokens of the prompt. */
export function promptOf(used: TokenUsage): number {
  return used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens;
}

/** Dollars of one request, from the provider's usage object; undefined where a price that it needs is not known. Pure. */
export function costOf(usage: unknown, prices: Prices | undefined): number | undefined {
  const used = tokensOf(usage);
  return used === undefined || prices === undefined ? undefined : costOfTokens(used, prices);
}

/** Dollars of one request; undefined where a price that it needs is not known. Pure. */
export function costOfTokens(used: UsedTokens, prices: Prices): number | undefined {
  const tier = pricesFor(promptOf(used), prices);
  const parts: readonly (readonly [number, number | undefined])[] = [
    [used.inputTokens, tier.input],
    [used.outputTokens, tier.output],
    [used.cacheReadTokens, tier.cache_read],
    [used.cacheWriteTokens - used.cacheWrite1hTokens, tier.cache_write],
    [used.cacheWrite1hTokens, tier.cache_write_1h],
  ];
  let sum = 0;
  for (const [tokens, price] of parts) {
    if (tokens === 0) continue;
    if (price === undefined) return undefined;
    sum += tokens * price;
  }
  return sum / 1_000_000;
}

/** The prices of a request whose prompt has so many tokens. */
function pricesFor(prompt: number, prices: Prices): TokenPrices {
  const passed = (prices.tiers ?? []).filter(({ above }) => prompt > above);
  return passed.reduce<TokenPrices & { above: number }>((a, b) => (b.above > a.above ? b : a), {
    ...prices,
    above: -1,
  });
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** What it costs to write to the cache of a model and to read from it; undefined where that is not known. Pure. */
export function cachePrices({ prices }: Pick<ModelInfo, 'prices'>): CachePrices | undefined {
  const { input, cache_read: read, cache_write: write = input } = prices ?? {};
  return write && read !== undefined ? { write, read } : undefined;
}
