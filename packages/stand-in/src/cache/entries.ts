/** Prefixes that are cached, by hash, each until its time is over. */
export interface Entries {
  /** True if the prefix is there; reading it gives it its whole time again. */
  read(hash: string, now: number): boolean;
  has(hash: string, now: number): boolean;
  write(hash: string, seconds: number, now: number): void;
}

const SWEEP = 50_000;

/** An empty cache. Times are in milliseconds. */
export function createEntries(): Entries {
  const entries = new Map<string, { readonly seconds: number; until: number }>();
  const has = (hash: string, now: number) => (entries.get(hash)?.until ?? 0) > now;
  return {
    has,
    read(hash, now) {
      const entry = entries.get(hash);
      if (!entry || entry.until <= now) return false;
      entry.until = now + entry.seconds * 1000;
      return true;
    },
    write(hash, seconds, now) {
      // A prefix that is written for an hour stays so when it is written again for five minutes.
      const lasting = has(hash, now) ? Math.max(seconds, entries.get(hash)?.seconds ?? 0) : seconds;
      entries.set(hash, { seconds: lasting, until: now + lasting * 1000 });
      if (entries.size % SWEEP === 0) for (const [key, { until }] of entries) if (until <= now) entries.delete(key);
    },
  };
}
