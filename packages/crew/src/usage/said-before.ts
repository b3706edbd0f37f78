import { createHash } from 'node:crypto';
import type { CrewMessage } from '../config/config.ts';
import { toldChars } from './told-chars.ts';

/** What was said in conversations whose history clients keep, pruned: for figures, and nothing else. */
export interface SaidBefore {
  /** Of a history that was given out: all that had been said, and whether a cache may have it; undefined if that is not remembered. */
  get(history: readonly CrewMessage[]): { readonly said: number; readonly warm: boolean } | undefined;
  keep(history: readonly CrewMessage[], chars: number): void;
}

/** Conversations that are remembered, the newest: some 150 bytes each. */
const MOST = 1_000;
/** A history is known again by its size and the ends of its last messages. */
const LAST = 4;
const CHARS = 1_000;

/** Remembers in this process alone. */
export function createSaidBefore(): SaidBefore {
  const known = new Map<string, { readonly said: number; readonly time: number }>();
  return {
    get(history) {
      const found = known.get(keyOf(history));
      return found && { said: found.said, warm: isWarm(found.time) };
    },
    keep(history, chars) {
      const key = keyOf(history);
      known.delete(key);
      known.set(key, { said: chars, time: Date.now() });
      const [oldest] = known.keys();
      if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    },
  };
}

/** So long providers keep a prompt in their caches at least, and seldom longer. */
const CACHED_MS = 5 * 60_000;

/** True if what was sent at this time may be in a provider's cache. */
export function isWarm(time: number): boolean {
  return Date.now() - time < CACHED_MS;
}

function keyOf(history: readonly CrewMessage[]): string {
  const last = history.slice(-LAST).map(({ role, content }) => [role, content.length, content.slice(-CHARS)]);
  return createHash('sha256')
    .update(JSON.stringify([history.length, toldChars(history), last]))
    .digest('base64url');
}
