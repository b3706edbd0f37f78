import { type ChatMessage, remembered, sameMessage } from './chat.ts';
import type { Policy } from './replay.ts';

/** A handle or a range of handles as the engine writes it; `, …, ` stands for ranges left out. */
const NAMED = /\bm(\d+)(?:~\d+)?(?:-m(\d+)(?:~\d+)?)?\b(, …, (?=m\d))?/g;
/** A note that shows an example handle explains how to recall any message. */
const EXAMPLE = /\brecall a handle such as m\d/i;

/** The first and last message that a text points to. */
type Range = readonly [from: number, to: number];

/** Counts the messages, by their indices in the history, that can be recalled from a view. */
type CountBehind = (
  places: readonly number[],
  history: readonly ChatMessage[],
  view: readonly ChatMessage[],
) => Promise<number>;

/**
 * Returns a function that counts messages that can be recalled under this policy: text that the policy wrote into the view
 * points to them, and recalling them returns the original. Each message is recalled once.
 */
export function createRecovery(policy: Policy): CountBehind {
  const known = new Set<number>();
  return async (places, history, view) => {
    if (places.length === 0 || !policy.recall) return 0;
    const named = rangesOf(view, history);
    let behind = 0;
    for (const place of places) {
      if (!named.some(([from, to]) => from <= place && place <= to)) continue;
      const original = history[place];
      if (!known.has(place) && original && (await comesBack(policy, place, original))) known.add(place);
      if (known.has(place)) behind += 1;
    }
    return behind;
  };
}

async function comesBack({ recall }: Policy, place: number, original: ChatMessage): Promise<boolean> {
  try {
    const [message] = (await recall?.(place)) ?? [];
    return message !== undefined && sameMessage(message, original);
  } catch {
    return false;
  }
}

/** Only from what the policy wrote: conversations may mention handles, too. */
function rangesOf(view: readonly ChatMessage[], history: readonly ChatMessage[]): Range[] {
  return view.flatMap((message) => {
    const named = rangesIn(message);
    return named.length === 0 || history.includes(message) ? [] : named;
  });
}

const rangesIn = remembered(({ content }: ChatMessage): readonly Range[] => {
  const text = content ?? '';
  if (EXAMPLE.test(text)) return [[0, Number.POSITIVE_INFINITY]];
  const ranges: Range[] = [];
  let open: number | undefined;
  for (const [, from, to = from, more] of text.matchAll(NAMED)) {
    ranges.push([open ?? Number(from), Number(to)]);
    open = more === undefined ? undefined : Number(from);
  }
  return ranges;
});
