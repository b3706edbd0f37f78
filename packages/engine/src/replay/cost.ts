import { type ChatMessage, commonPrefix } from './chat.ts';

/** Prices of a cached and of a new input token, as multiples of the base price. */
export interface Prices {
  readonly read: number;
  readonly write: number;
}

/** What one request costs, given the one before it. Tokens of the messages only; `cost` includes the overhead. */
export interface Charge {
  readonly cost: number;
  /** Tokens of all messages. */
  readonly total: number;
  /** Tokens of the messages that the previous request began with too. */
  readonly cached: number;
  /** The previous request is not a prefix of this one. */
  readonly rewrite: boolean;
}

/** How requests are priced. */
export interface Tariff {
  readonly prices: Prices;
  /** Tokens before the messages (system prompt, tool schemas): in each request the same, so always read. */
  readonly overhead: number;
  size(message: ChatMessage): number;
}

const CHARS_PER_TOKEN = 3; // fitted on recorded usage of coding agents: 2.7 to 3.3
const CALL_CHARS = 20;
const MESSAGE_TOKENS = 4;

/** Tokens of a message: its characters, calls included, at three to a token, and four for its frame. Pure. */
export function messageSize(message: ChatMessage): number {
  let chars = message.content?.length ?? 0;
  for (const { function: call } of message.tool_calls ?? []) {
    chars += call.name.length + call.arguments.length + CALL_CHARS;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN) + MESSAGE_TOKENS;
}

/** A function that prices one view after another as requests of one conversation; each costs O(messages). */
export function createMeter({ prices, overhead, size }: Tariff): (view: readonly ChatMessage[]) => Charge {
  const sizes = new WeakMap<ChatMessage, number>();
  let previous: readonly ChatMessage[] = [];
  let sums: number[] = [0]; // sums[i]: tokens of the first i messages of the previous view

  const sizeOf = (message: ChatMessage): number => {
    const known = sizes.get(message);
    if (known !== undefined) return known;
    const measured = size(message);
    sizes.set(message, measured);
    return measured;
  };

  return (view) => {
    const shared = commonPrefix(view, previous);
    const rewrite = shared < previous.length;
    sums = sums.slice(0, shared + 1);
    const cached = sums[shared] ?? 0;
    let total = cached;
    for (const message of view.slice(shared)) {
      total += sizeOf(message);
      sums.push(total);
    }
    previous = view;
    return { cost: prices.read * (overhead + cached) + prices.write * (total - cached), total, cached, rewrite };
  };
}
