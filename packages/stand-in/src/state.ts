import type { OpenaiResponsesItem } from 'holdfast/rules';
import type { Entries } from './cache/entries.ts';
import type { StandInModel } from './models.ts';
import type { Script } from './script.ts';
import type { Seal } from './seal.ts';

/** A response that the Responses API keeps. */
export interface StoredResponse {
  /** Everything up to its end. */
  readonly items: readonly OpenaiResponsesItem[];
  /** Ids of its calls, which the next request must answer. */
  readonly open_calls: readonly string[];
}

/** A map that forgets what was put in first, once it holds `most`. */
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

/** All that one server remembers between requests. */
export interface State {
  readonly models: ReadonlyMap<string, StandInModel>;
  readonly script: Script;
  readonly account: 'new' | 'old';
  readonly overflowInStream: boolean;
  readonly thinking: Seal;
  readonly reasoning: Seal;
  readonly cache: Entries;
  /** Of each prefix, the one that is shorter by a block and the path of that block. */
  readonly prefixes: Recent<{ readonly parent: string; readonly path: string }>;
  /** Answers by the ids and signatures in them, as they were sent. */
  readonly answered: Recent<unknown>;
  readonly responses: Recent<StoredResponse>;
  /** Items that are kept, by id. */
  readonly items: Recent<OpenaiResponsesItem>;
  /** Of each item that was answered, the reasoning before it. */
  readonly pairs: Recent<string>;
  /** A number that no other answer has. */
  count(): number;
  now(): number;
}
