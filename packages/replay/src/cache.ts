import type { CacheRules } from '@holdfast/models';
import { type ChatMessage, sameMessage } from './chat.ts';

/** How the tokens of one prompt are billed, each as one of three kinds. */
export interface Billed {
  readonly read: number;
  readonly written: number;
  /** Neither read nor written. */
  readonly plain: number;
}

/** A prefix of requests: what followed it, and until when it is cached. */
interface Prefix {
  readonly next: { readonly message: ChatMessage; readonly prefix: Prefix }[];
  /** When a request with this prefix expires, and a breakpoint at its end. */
  sent: number;
  marked: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
const newPrefix = (): Prefix => ({ next: [], sent: NEVER, marked: NEVER });

/** Returns a function that bills the views of one conversation in order; O(messages) each. */
export function createCache(
  rules: CacheRules,
  overhead: number,
  size: (message: ChatMessage) => number,
): (view: readonly ChatMessage[], time?: number) => Billed {
  const root = newPrefix();
  const { ttl = Number.POSITIVE_INFINITY, minimum } = rules;
  let now = 0;
  let before: readonly Prefix[] = [];

  return (view, time) => {
    now = Math.max(now, time ?? now);
    const path = [root];
    const tokens = [overhead];
    const blocks = [0];
    for (const [i, message] of view.entries()) {
      path.push(follow(path[i] ?? root, message));
      tokens.push((tokens[i] ?? 0) + size(message));
      blocks.push((blocks[i] ?? 0) + blocksIn(message));
    }
    const end = view.length;
    const shared = path.findLastIndex((prefix, i) => before[i] === prefix);
    const marks = [...new Set([0, Math.max(0, shared), end])].filter((at) => (tokens[at] ?? 0) >= minimum);
    const total = tokens[end] ?? 0;
    const until = now + ttl;
    const hit =
      rules.type === 'steps'
        ? path.findLastIndex(({ sent }) => sent > now)
        : findMarked(path, blocks, now, marks, rules.lookback);
    const step = rules.type === 'steps' ? rules.step : 1;
    const read = Math.floor((tokens[hit] ?? 0) / step) * step;
    const found = read >= minimum ? read : 0;
    const written = total >= minimum ? total - found : 0;
    for (const prefix of path) prefix.sent = until;
    for (const at of [...marks, ...(hit >= 0 && rules.type === 'breakpoints' ? [hit] : [])])
      (path[at] ?? root).marked = until;
    before = path;
    return { read: found, written, plain: total - found - written };
  };
}

/** The longest prefix with a breakpoint that a mark finds; -1 if none. */
function findMarked(
  path: readonly Prefix[],
  blocks: readonly number[],
  now: number,
  marks: readonly number[],
  lookback = Number.POSITIVE_INFINITY,
): number {
  const block = (at: number) => blocks[at] ?? 0;
  return Math.max(
    -1,
    ...marks.map((mark) =>
      path.findLastIndex(({ marked }, at) => at <= mark && block(mark) - block(at) < lookback && marked > now),
    ),
  );
}

function follow(prefix: Prefix, message: ChatMessage): Prefix {
  const known = prefix.next.findLast((one) => sameMessage(one.message, message));
  if (known) return known.prefix;
  const made = newPrefix();
  prefix.next.push({ message, prefix: made });
  return made;
}

function blocksIn({ content, tool_calls: calls = [] }: ChatMessage): number {
  return Math.max(1, calls.length + (content ? 1 : 0));
}
