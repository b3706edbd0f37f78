import type { Measured } from '../measure.ts';
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
  const total = prompt.at(-1)?.tokens ?? 0;
  const marked = prompt.flatMap(({ marker, tokens }, at) => (marker && tokens >= minimum ? [at] : []));
  let hit = -1;
  for (const at of marked) hit = Math.max(hit, findHit(entries, prompt, at, minimum, now));
  const read = prompt[hit]?.tokens ?? 0;
  let written = read;
  let long = 0;
  for (const at of marked) {
    const piece = prompt[at];
    if (!piece || piece.tokens <= written) continue;
    if (piece.marker?.seconds === HOUR) long += piece.tokens - written;
    written = piece.tokens;
  }
  const use = {
    input_tokens: total - written,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written - read,
    cache_creation: { ephemeral_5m_input_tokens: written - read - long, ephemeral_1h_input_tokens: long },
  };
  const commit = () => {
    for (const at of marked) {
      const piece = prompt[at];
      if (piece?.marker) entries.write(piece.hash, piece.marker.seconds, now);
    }
  };
  return { use, commit };
}

function findHit(entries: Entries, prompt: readonly Measured[], marker: number, minimum: number, now: number): number {
  for (let at = marker; at > marker - LOOKBACK && at >= 0; at--) {
    const piece = prompt[at];
    if (piece && piece.tokens >= minimum && entries.read(piece.hash, now)) return at;
  }
  return -1;
}
