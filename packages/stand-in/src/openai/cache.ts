import { createHash } from 'node:crypto';
import { CHARACTERS, lastOf, type Measured } from '../measure.ts';
import type { Entries } from '../state.ts';

const MINIMUM = 1024;
const STEP = 128;
const WRITTEN = 4;
const MATCHED = 80;

/** How a prompt is billed: `cached_tokens` are read, `cache_write_tokens` written. */
export interface OpenaiCacheUse {
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
}

/** What a request says about caching. */
export interface OpenaiCacheOptions {
  readonly mode: 'implicit' | 'explicit';
  readonly seconds: number;
  /** Requests with different keys are assumed to reach different machines. */
  readonly root: string;
  /** The shortest prefix that is cached, in tokens: 1024 if absent. */
  readonly minimum?: number;
  readonly now: number;
}

/** How a prompt is billed; `commit` makes what it writes readable. */
export interface CacheUse {
  readonly use: OpenaiCacheUse;
  commit(): void;
}

/** A prompt, and the model that it is for. */
interface Billed {
  readonly prompt: readonly Measured[];
  readonly model: { readonly characters?: number };
}

/** Bills a prompt as before GPT-5.6: the longest known prefix in steps of 128 tokens, from 1024; writes are free. */
export function useSteps(entries: Entries, { prompt, model }: Billed, options: OpenaiCacheOptions): CacheUse {
  const { minimum = MINIMUM, now } = options;
  const { characters: perToken = CHARACTERS } = model;
  const hash = createHash('sha256').update(options.root);
  const text = prompt.map((part) => part.text).join('');
  const total = Math.floor(Math.min(lastOf(prompt).tokens, text.length / perToken));
  const hashes: string[] = [];
  let from = 0;
  for (let tokens = STEP; tokens <= total; tokens += STEP) {
    const end = Math.floor(tokens * perToken);
    hash.update(text.slice(from, end));
    from = end;
    if (tokens >= minimum) hashes.push(hash.copy().digest('base64url'));
  }
  const known = hashes.findLastIndex((one) => entries.read(one, now));
  const cached = known < 0 ? 0 : minimum + known * STEP;
  const commit = () => {
    for (const one of hashes) entries.write(one, options.seconds, now);
  };
  return { use: { cached_tokens: cached, cache_write_tokens: 0 }, commit };
}

/**
 * Bills a prompt as GPT-5.6 and later do: writes up to four breakpoints, the latest marked ones and, unless the mode is
 * explicit, one at the end; reads only the longest that was written before.
 */
export function useBreakpoints(entries: Entries, { prompt }: Billed, options: OpenaiCacheOptions): CacheUse {
  const { mode, seconds, root, now } = options;
  const long = prompt.filter(({ tokens }) => tokens >= MINIMUM);
  const marked = long.filter(({ marker }) => marker);
  const idle = mode === 'explicit' && marked.length === 0;
  const end = mode === 'implicit' ? long.slice(-1) : [];
  const written = [...marked.filter((part) => part !== end[0]).slice(end.length - WRITTEN), ...end];
  const explicit = new Set(marked.slice(-MATCHED));
  // Implicit breakpoints of earlier requests are always at the end of a message.
  const match = idle
    ? undefined
    : long.findLast((part) => (part.last || explicit.has(part)) && entries.read(root + part.hash, now));
  const cached = match?.tokens ?? 0;
  const use = { cached_tokens: cached, cache_write_tokens: Math.max(0, (written.at(-1)?.tokens ?? 0) - cached) };
  const commit = () => {
    for (const { hash, marker } of written) entries.write(root + hash, marker?.seconds ?? seconds, now);
  };
  return { use, commit };
}
