import { type ChatMessage, sameMessage } from './chat.ts';
import type { Policy } from './replay.ts';

/** A handle or a run of messages as the engine writes it; a run may be followed by others that are not written out. */
const NAMED = /\bm(\d+)(?:~\d+)?(?:-m(\d+)(?:~\d+)?)?\b(, …, (?=m\d))?/g;
/** A note that gives a handle as an example tells how to recall any message. */
const EXAMPLE = /\brecall a handle such as m\d/i;

/** The first and the last place that a text leads back to. */
type Range = readonly [from: number, to: number];

/** Counts the places of a history that a view leads back to. */
export type CountBehind = (
  places: readonly number[],
  history: readonly ChatMessage[],
  view: readonly ChatMessage[],
) => Promise<number>;

/**
 * A function that counts how many messages, by their places, come back through a handle under this policy: what the policy
 * wrote into the view leads to them, and recalling the message gives it as it was. What came back once is not asked for again.
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

/** Only what the policy wrote: a conversation may speak of handles, too. */
function rangesOf(view: readonly ChatMessage[], history: readonly ChatMessage[]): Range[] {
  return view.flatMap((message) => {
    const named = rangesIn(message);
    return named.length === 0 || history.includes(message) ? [] : named;
  });
}

const known = new WeakMap<ChatMessage, readonly Range[]>();

function rangesIn(message: ChatMessage): readonly Range[] {
  let found = known.get(message);
  if (!found) {
    found = parseRanges(message.content ?? '');
    known.set(message, found);
  }
  return found;
}

function parseRanges(text: string): Range[] {
  if (EXAMPLE.test(text)) return [[0, Number.POSITIVE_INFINITY]];
  const ranges: Range[] = [];
  let open: number | undefined;
  for (const [, from, to = from, more] of text.matchAll(NAMED)) {
    ranges.push([open ?? Number(from), Number(to)]);
    open = more === undefined ? undefined : Number(from);
  }
  return ranges;
}
