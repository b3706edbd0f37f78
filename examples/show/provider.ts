/** Tokens that a request read from the cache and wrote to it, as Anthropic reports them. */
export interface Usage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation_input_tokens: number;
}

/** Simulates a provider: counts each request's tokens and remembers the previous request, as a prompt cache does. */
export interface Provider {
  /** Returns the usage of a request with these messages. */
  request(messages: readonly object[]): Usage;
  /** The cost of all requests so far, in tokens at the base input price. */
  readonly cost: number;
  /** Tokens of the largest request so far. */
  readonly largest: number;
  /** Requests that did not begin with the whole previous request. */
  readonly rewrites: number;
}

/** System prompt and tool schemas: the same in every request, so always read from the cache, as in `@holdfast/replay`. */
const FIXED_TOKENS = 6_000;
const PRICES = { read: 0.1, write: 1.25 };

/** Roughly how a tokenizer splits code: short runs of letters and digits, single symbols, indented line breaks. */
const TOKEN = /[A-Za-z]{1,7}|\d{1,3}|\n\s*|[^\sA-Za-z\d]{1,2}/g;

export function createProvider(): Provider {
  const known = new WeakMap<object, { readonly json: string; readonly tokens: number }>();
  let previous: readonly object[] = [];
  let cost = 0;
  let largest = 0;
  let rewrites = 0;
  const measure = (message: object) => {
    const found = known.get(message);
    if (found) return found;
    const json = JSON.stringify(message);
    const fresh = { json, tokens: json.replaceAll('\\n', '\n').match(TOKEN)?.length ?? 0 };
    known.set(message, fresh);
    return fresh;
  };
  return {
    request(messages) {
      let read = FIXED_TOKENS;
      let write = 0;
      let shared = true;
      let common = 0;
      messages.forEach((message, i) => {
        const before = previous[i];
        const { json, tokens } = measure(message);
        shared &&= before !== undefined && (before === message || measure(before).json === json);
        if (shared) {
          read += tokens;
          common += 1;
        } else write += tokens;
      });
      if (common < previous.length) rewrites += 1;
      previous = [...messages];
      cost += PRICES.read * read + PRICES.write * write;
      largest = Math.max(largest, read + write);
      return { input_tokens: 0, cache_read_input_tokens: read, cache_creation_input_tokens: write };
    },
    get cost() {
      return cost;
    },
    get largest() {
      return largest;
    },
    get rewrites() {
      return rewrites;
    },
  };
}
