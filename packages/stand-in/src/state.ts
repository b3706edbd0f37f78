import type { OpenaiResponsesItem } from 'holdfast/rules';
import type { HeldThread } from './anthropic/threads.ts';
import type { FaultKind } from './faults.ts';
import type { Json } from './json.ts';
import type { StandInModel } from './models.ts';
import type { Script, StandInApi } from './script.ts';
import type { Seal } from './seal.ts';

/** A response that the Responses API stores. */
export interface StoredResponse {
  /** The conversation up to and including it. */
  readonly items: readonly OpenaiResponsesItem[];
  /** Ids of its calls; the next request must contain their outputs. */
  readonly open_calls: readonly string[];
}

/** A map that forgets its oldest entry once it has more than `most`. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest);
  }
}

/** Cached prefixes by hash, each until it expires. */
export interface Entries {
  /** True if the prefix is cached; reading it renews its lifetime. */
  read(hash: string, now: number): boolean;
  write(hash: string, seconds: number, now: number): void;
}

const SWEEP = 50_000;

/** An empty cache. Times are in milliseconds. */
export function createEntries(): Entries {
  const entries = new Map<string, { readonly seconds: number; until: number }>();
  return {
    read(hash, now) {
      const entry = entries.get(hash);
      if (!entry || entry.until <= now) return false;
      entry.until = now + entry.seconds * 1000;
      return true;
    },
    write(hash, seconds, now) {
      // A prefix written for an hour stays so if it is written again for five minutes.
      const known = entries.get(hash);
      const lasting = known && known.until > now ? Math.max(seconds, known.seconds) : seconds;
      entries.set(hash, { seconds: lasting, until: now + lasting * 1000 });
      if (entries.size % SWEEP === 0) for (const [key, { until }] of entries) if (until <= now) entries.delete(key);
    },
  };
}

/** What a server remembers between requests. */
export interface State {
  readonly models: ReadonlyMap<string, StandInModel>;
  readonly script: Script;
  readonly account: 'new' | 'old';
  readonly overflowInStream: boolean;
  readonly thinking: Seal;
  readonly reasoning: Seal;
  readonly cache: Entries;
  /** For each prefix, the one shorter by a block, and the path of that block. */
  readonly prefixes: Recent<{ readonly parent: string; readonly path: string }>;
  /** Answers as they were sent, by the ids and signatures in them. */
  readonly answered: Recent<unknown>;
  /** Conversations of the Messages API that the server holds, by the id of the latest answer. */
  readonly threads: Recent<HeldThread>;
  readonly responses: Recent<StoredResponse>;
  /** Stored items, by id. */
  readonly items: Recent<OpenaiResponsesItem>;
  /** For each item sent, the id of the reasoning before it. */
  readonly pairs: Recent<string>;
  /** A number unique to each answer. */
  count(): number;
  now(): number;
}

/** What is known about a request once it was served. Headers are not kept, and so no key is. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** The API that the path belongs to; undefined for the list of models and unknown paths. */
  readonly api: StandInApi | undefined;
  /** The parsed body; undefined if there was none, or if it is too old to be kept. */
  body: unknown;
  /** `answered` even if a fault broke off the answer later. */
  readonly verdict: 'answered' | 'refused' | 'failed';
  /** 0 if the connection was reset before there was one. */
  readonly status: number;
  /** Why it was refused: the API's text, and the name of the rule in `holdfast/rules`. */
  readonly error?: { readonly message: string; readonly rule: string | undefined };
  readonly fault?: FaultKind;
  /** As the answer reported it. */
  readonly usage?: Json;
}
