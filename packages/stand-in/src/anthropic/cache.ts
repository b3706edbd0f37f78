import { lastOf, type Measured } from '../measure.ts';
import type { Entries } from '../state.ts';

/** How many positions a marker searches for a cached prefix, including its own. */
const LOOKBACK = 20;
const HOUR = 3600;

/** How a prompt is billed. */
export interface AnthropicCacheUse {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

/**
 * Bills a prompt: the longest prefix that a marker finds within 20 positions is read, the rest up to the last marker is
 * written, and everything after it is input. Prefixes below `minimum` are not cached. `commit` makes writes readable.
 */
export function useAnthropicCache(
  entries: Entries,
  prompt: readonly Measured[],
  minimum: number,
  now: number,
): { readonly use: AnthropicCacheUse; commit(): void } {
  const total = lastOf(prompt).tokens;
  const marked = prompt.flatMap(({ marker, tokens }, at) => (marker && tokens >= minimum ? [at] : []));
  let hit = -1;
  for (const at of marked) hit = Math.max(hit, findHit(entries, prompt, at, minimum, now));
  const read = prompt[hit]?.tokens ?? 0;
  let written = read;
  let long = 0;
  for (const at of marked) {
    const part = prompt[at];
    if (!part || part.tokens <= written) continue;
    if (part.marker?.seconds === HOUR) long += part.tokens - written;
    written = part.tokens;
  }
  const use = {
    input_tokens: total - written,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written - read,
    cache_creation: { ephemeral_5m_input_tokens: written - read - long, ephemeral_1h_input_tokens: long },
  };
  const commit = () => {
    for (const at of marked) {
      const part = prompt[at];
      if (part?.marker) entries.write(part.hash, part.marker.seconds, now);
    }
  };
  return { use, commit };
}

function findHit(entries: Entries, prompt: readonly Measured[], marker: number, minimum: number, now: number): number {
  for (let at = marker; at > marker - LOOKBACK && at >= 0; at--) {
    const part = prompt[at];
    if (part && part.tokens >= minimum && entries.read(part.hash, now)) return at;
  }
  return -1;
}
