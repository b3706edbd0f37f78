import type { CachePrices } from 'holdfast';
import type { ModelInfo, Prices, TokenPrices } from './model.ts';
import type { SessionTokens, TokenUsage } from './token-usage.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The tokens of a provider's usage object. */
export interface UsedTokens extends TokenUsage {
  /** The part of `cacheWriteTokens` that is cached for an hour. */
  readonly cacheWrite1hTokens: number;
}

/** Reads a usage object of Anthropic, Chat Completions, Responses or Gemini; undefined for anything else. Pure. */
export function tokensOf(usage: unknown): UsedTokens | undefined {
  const fields = fieldsOf(usage);
  if ('promptTokenCount' in fields) return geminiTokens(fields);
  const chat = 'prompt_tokens' in fields;
  const total = number(chat ? fields.prompt_tokens : fields.input_tokens);
  const outputTokens = number(chat ? fields.completion_tokens : fields.output_tokens) ?? 0;
  if (total === undefined) return undefined;
  const details = chat ? fields.prompt_tokens_details : fields.input_tokens_details;
  if (chat || (typeof details === 'object' && details !== null)) {
    // OpenAI's total includes cached tokens, Anthropic's does not.
    const { cached_tokens, cache_write_tokens } = fieldsOf(details);
    const cacheReadTokens = Math.min(total, number(cached_tokens) ?? 0);
    const cacheWriteTokens = Math.min(total - cacheReadTokens, number(cache_write_tokens) ?? 0);
    const inputTokens = total - cacheReadTokens - cacheWriteTokens;
    return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens: 0 };
  }
  const kinds = fieldsOf(fields.cache_creation);
  const hour = number(kinds.ephemeral_1h_input_tokens) ?? 0;
  const written = number(fields.cache_creation_input_tokens) ?? hour + (number(kinds.ephemeral_5m_input_tokens) ?? 0);
  return {
    inputTokens: total,
    outputTokens,
    cacheReadTokens: number(fields.cache_read_input_tokens) ?? 0,
    cacheWriteTokens: written,
    cacheWrite1hTokens: Math.min(hour, written),
  };
}

/** Gemini's prompt includes what was cached, its candidates exclude thoughts. */
function geminiTokens(usage: Fields): UsedTokens | undefined {
  const [prompt, cached = 0, said = 0, thoughts = 0] = [
    usage.promptTokenCount,
    usage.cachedContentTokenCount,
    usage.candidatesTokenCount,
    usage.thoughtsTokenCount,
  ].map(number);
  if (prompt === undefined) return undefined;
  const cacheReadTokens = Math.min(prompt, cached);
  const inputTokens = prompt - cacheReadTokens;
  return { inputTokens, outputTokens: said + thoughts, cacheReadTokens, cacheWriteTokens: 0, cacheWrite1hTokens: 0 };
}

/** The usage of nothing. */
export const NO_TOKENS = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** The tokens of a usage object as results report them; undefined for anything else. Pure. */
export function usageOf(usage: unknown): TokenUsage | undefined {
  const { cacheWrite1hTokens: _, ...tokens } = tokensOf(usage) ?? {};
  return 'inputTokens' in tokens ? tokens : undefined;
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
  return ({ input: inputTokens, output: outputTokens, cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens }) => {
    const used = { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens: 0 };
    return prices && costOfTokens(used, prices);
  };
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

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The prices of a model's cache, for the window; undefined if unknown. Pure. */
export function cachePrices({ prices }: Pick<ModelInfo, 'prices'>): CachePrices | undefined {
  const { input, cache_read: read, cache_write: write = input } = prices ?? {};
  return write && read !== undefined ? { write, read } : undefined;
}
