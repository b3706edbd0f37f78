import { type ChatMessage, sameMessage } from './chat.ts';
import type { Policy } from './replay.ts';

/** A handle as the engine writes it into a view. */
const HANDLE = /\bm\d+(?:~\d+)?\b/;

/** Counts the places of a history that a view leads back to. */
export type CountBehind = (
  places: readonly number[],
  history: readonly ChatMessage[],
  view: readonly ChatMessage[],
) => Promise<number>;

/**
 * A function that counts how many messages, by their places, come back through a handle under this policy: the view names
 * handles, and recalling the message gives it as it was. What came back once is not asked for again.
 */
export function createRecovery(policy: Policy): CountBehind {
  const known = new Set<number>();
  return async (places, history, view) => {
    if (places.length === 0 || !policy.recall || !namesHandle(view, history)) return 0;
    let behind = 0;
    for (const place of places) {
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

const known = new WeakMap<ChatMessage, boolean>();

function namesHandle(view: readonly ChatMessage[], history: readonly ChatMessage[]): boolean {
  return view.some((message) => mayNameHandle(message) && !history.includes(message));
}

function mayNameHandle(message: ChatMessage): boolean {
  let found = known.get(message);
  if (found === undefined) {
    found = HANDLE.test(message.content ?? '');
    known.set(message, found);
  }
  return found;
}
