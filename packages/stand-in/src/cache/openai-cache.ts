import { createHash } from 'node:crypto';
import { CHARACTERS, type Measured } from '../measure.ts';
import type { Entries } from './entries.ts';

const MINIMUM = 1024;
const STEP = 128;
const WRITTEN = 4;
const MATCHED = 80;

/** How the tokens of a prompt are billed: `cached_tokens` are read, `cache_write_tokens` written. */
export interface OpenaiCacheUse {
  readonly cached_tokens: number;
  readonly cache_write_tokens: number;
}

/** What a request says about caching. */
export interface OpenaiCacheOptions {
  readonly mode: 'implicit' | 'explicit';
  readonly seconds: number;
  /** Requests of different keys are taken to be served by different machines. */
  readonly root: string;
}

type Used = { readonly use: OpenaiCacheUse; commit(): void };

/** Bills a prompt as before GPT-5.6: the longest known prefix in steps of 128 tokens, from 1024 on; writes are free. */
export function useSteps(
  entries: Entries,
  prompt: readonly Measured[],
  options: OpenaiCacheOptions,
  now: number,
  perToken = CHARACTERS,
): Used {
  const hash = createHash('sha256').update(options.root);
  const text = prompt.map((piece) => piece.text).join('');
  const total = Math.floor(Math.min(prompt.at(-1)?.tokens ?? 0, text.length / perToken));
  const hashes: string[] = [];
  let from = 0;
  for (let tokens = STEP; tokens <= total; tokens += STEP) {
    const end = Math.floor(tokens * perToken);
    hash.update(text.slice(from, end));
    from = end;
    if (tokens >= MINIMUM) hashes.push(hash.copy().digest('base64url'));
  }
  const known = hashes.findLastIndex((one) => entries.read(one, now));
  const cached = known < 0 ? 0 : MINIMUM + known * STEP;
  const commit = () => {
    for (const one of hashes) entries.write(one, options.seconds, now);
  };
  return { use: { cached_tokens: cached, cache_write_tokens: 0 }, commit };
}

/**
 * Bills a prompt as from GPT-5.6 on: one breakpoint at its end unless the mode is explicit, and the latest marked ones,
 * four in all, are written; the longest one that was written before is read, wherever it stands; nothing shorter is.
 */
export function useBreakpoints(
  entries: Entries,
  prompt: readonly Measured[],
  options: OpenaiCacheOptions,
  now: number,
): Used {
  const { mode, seconds, root } = options;
  const long = prompt.filter(({ tokens }) => tokens >= MINIMUM);
  const marked = long.filter(({ marker }) => marker);
  const idle = mode === 'explicit' && marked.length === 0;
  const end = mode === 'implicit' ? long.slice(-1) : [];
  const written = [...marked.filter((piece) => piece !== end[0]).slice(end.length - WRITTEN), ...end];
  const explicit = new Set(marked.slice(-MATCHED));
  // Earlier requests ended at the end of a message: their implicit breakpoints can only be there.
  const match = idle
    ? undefined
    : long.findLast((piece) => (piece.last || explicit.has(piece)) && entries.read(root + piece.hash, now));
  const cached = match?.tokens ?? 0;
  const use = { cached_tokens: cached, cache_write_tokens: Math.max(0, (written.at(-1)?.tokens ?? 0) - cached) };
  const commit = () => {
    for (const { hash, marker } of written) entries.write(root + hash, marker?.seconds ?? seconds, now);
  };
  return { use, commit };
}
