import type { SessionTokens } from '@holdfast/sessions';
import type { CachePrices } from 'holdfast';
import type { TokenUsage } from '../providers/provider.ts';
import type { ModelInfo, Prices, TokenPrices } from './model.ts';

/** The tokens of a provider's usage object. */
export interface UsedTokens extends TokenUsage {
  /** The part of `cacheWriteTokens` that is cached for an hour. */
  readonly cacheWrite1hTokens: number;
}

/** Reads a usage object of Anthropic, Chat Completions, Responses or Gemini; undefined for anything else. Pure. */
export function tokensOf(usage: unknown): UsedTokens | undefined {
  if (!isRecord(usage)) return undefined;
  if ('promptTokenCount' in usage) return geminiTokens(usage);
  const chat = 'prompt_tokens' in usage;
  const total = number(chat ? usage.prompt_tokens : usage.input_tokens);
  const outputTokens = number(chat ? usage.completion_tokens : usage.output_tokens) ?? 0;
  if (total === undefined) return undefined;
  const details = chat ? usage.prompt_tokens_details : usage.input_tokens_details;
  if (chat || isRecord(details)) {
    // OpenAI's total includes cached tokens, Anthropic's does not.
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

/** Gemini's prompt includes what was cached, its candidates exclude thoughts. */
function geminiTokens(usage: Readonly<Record<string, unknown>>): UsedTokens | undefined {
  const [prompt, cached = 0, said = 0, thoughts = 0] = [
    usage.promptTokenCount,
    usage.cachedContentTokenCount,
    usage.candidatesTokenCount,
    usage.thoughtsTokenCount,
  ].map(number);
  if (prompt === undefined) return undefined;
  const cacheReadTokens = Math.min(prompt, cached);
  return {
    inputTokens: prompt - cacheReadTokens,
    outputTokens: said + thoughts,
    cacheReadTokens,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
  };
}

/** All tokens of the prompt. */
export function promptOf(used: TokenUsage): number {
  return used.inputTokens + used.cacheReadTokens + used.cacheWriteTokens;
}

/** Dollars of one request, from the provider's usage object; undefined if a price is unknown. Pure. */
export function costOf(usage: unknown, prices: Prices | undefined): number | undefined {
  const used = tokensOf(usage);
  return used === undefined || prices === undefined ? undefined : costOfTokens(used, prices);
}

/** Dollars of one request; undefined if a price is unknown. Writes without a price of their own cost as much as input. Pure. */
export function costOfTokens(used: UsedTokens, prices: Prices): number | undefined {
  const tier = pricesFor(promptOf(used), prices);
  const parts: readonly (readonly [number, number | undefined])[] = [
    [used.inputTokens, tier.input],
    [used.outputTokens, tier.output],
    [used.cacheReadTokens, tier.cache_read],
    [used.cacheWriteTokens - used.cacheWrite1hTokens, tier.cache_write ?? tier.input],
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

/** The dollars of tokens as sessions keep them, at these prices; undefined if one is unknown. Pure. */
export function pricing(prices: Prices | undefined): (tokens: Required<SessionTokens>) => number | undefined {
  return ({ input, output, cacheRead, cacheWrite }) =>
    prices &&
    costOfTokens(
      {
        inputTokens: input,
        outputTokens: output,
        cacheReadTokens: cacheRead,
        cacheWriteTokens: cacheWrite,
        cacheWrite1hTokens: 0,
      },
      prices,
    );
}

/** The same tokens as sessions keep them. Pure. */
export function sessionTokens(used: TokenUsage): Required<SessionTokens> {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = used;
  return { input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens };
}

/** The prices of a request by the size of its prompt. */
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

/** The prices of a model's cache, for the window; undefined if unknown. Pure. */
export function cachePrices({ prices }: Pick<ModelInfo, 'prices'>): CachePrices | undefined {
  const { input, cache_read: read, cache_write: write = input } = prices ?? {};
  return write && read !== undefined ? { write, read } : undefined;
}
