import type { SessionTokens } from '@holdfast/models';
import { promptTokensOf } from 'holdfast';

/** Where the frameworks report each count, as paths. */
const CACHE_READ =
  'inputTokens.cacheRead input_token_details.cache_read inputTokensDetails.0.cached_tokens cachedInputTokens cacheReadInputTokens cachedContentTokenCount cache.read cacheRead';
const CACHE_WRITE =
  'inputTokens.cacheWrite input_token_details.cache_creation cacheWriteInputTokens cache.write cacheWrite';
const OUTPUT = 'outputTokens.total outputTokens output_tokens candidatesTokenCount output';
/** Thoughts that the output excludes. */
const THOUGHTS = 'thoughtsTokenCount reasoning';

/** The tokens in a framework's usage object, those read from a cache or written to it apart; undefined without a prompt's. Pure. */
export function tokensIn(usage: unknown): SessionTokens | undefined {
  const prompt = promptTokensOf(usage)?.tokens;
  if (prompt === undefined) return undefined;
  const count = (paths: string) =>
    paths
      .split(' ')
      .map((path) => at(usage, path))
      .find(isCount) ?? 0;
  const [cacheRead, cacheWrite] = [count(CACHE_READ), count(CACHE_WRITE)];
  const input = Math.max(0, prompt - cacheRead - cacheWrite);
  return { input, output: count(OUTPUT) + count(THOUGHTS), cacheRead, cacheWrite };
}

/** Usage whose input has the tokens of the cache in it, as Bedrock reports it: without them. Pure. */
export function withCacheApart<U extends BedrockUsage>(usage: U | undefined): U | undefined {
  if (!usage) return undefined;
  const { inputTokens, cacheReadInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  return { ...usage, inputTokens: inputTokens - cacheReadInputTokens - cacheWriteInputTokens };
}

interface BedrockUsage {
  readonly inputTokens: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}

function at(usage: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key], usage);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number';
}
