import { isDeepStrictEqual } from 'node:util';
import type OpenAI from 'openai';

type Output = OpenAI.Responses.ResponseOutputItem;

interface Arrived {
  readonly index: number | undefined;
  readonly item: Output;
}

/** The items of an answer, each once, however often the server sends it. */
export function createArrivedItems() {
  const arrived: Arrived[] = [];
  return {
    /** Takes an item that is done. A repeated item replaces the first. */
    done(item: Output, output_index: number | undefined): void {
      const next = { index: output_index ?? undefined, item };
      const at = arrived.findIndex((one) => isRepeat(next, one));
      if (at < 0) arrived.push(next);
      else arrived[at] = next;
    },
    /** In the order of the answer. */
    all(): Output[] {
      const isPlaced = arrived.every(({ index }) => index !== undefined);
      const ordered = isPlaced ? arrived.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : arrived;
      return ordered.map(({ item }) => item);
    },
  };
}

/** True for a repeated item. Ids alone do not decide: some servers give several items the same id, `call_id` or index. */
function isRepeat(next: Arrived, before: Arrived): boolean {
  const [one, other] = [next.item, before.item];
  if (one.type !== other.type) return false;
  const isSameId = Boolean(one.id) && one.id === other.id;
  const isSamePlace = next.index !== undefined && next.index === before.index;
  if (one.type !== 'function_call' || other.type !== 'function_call')
    return isSamePlace ? isSameId || !one.id || !other.id : isSameId && isDeepStrictEqual(one, other);
  const isSameCall = Boolean(one.call_id) && one.call_id === other.call_id;
  const isSameWork = one.name === other.name && one.arguments === other.arguments;
  if (isSamePlace) return isSameCall || (isSameWork && (isSameId || !one.call_id || !other.call_id));
  return isSameWork && isSameCall && one.id === other.id && (isSameId || next.index === before.index);
}

/** A text delta; some servers send no sequence number, or always the same. */
interface TextDelta {
  readonly delta: string;
  readonly sequence_number?: number;
}

/** Recognizes repeated deltas by their number, unless the number never changes. */
export function createRepeats(): (delta: TextDelta) => boolean {
  const seen = new Set<string>();
  let highest = 0;
  return ({ delta, sequence_number: number }) => {
    if (typeof number !== 'number') return false;
    highest = Math.max(highest, number);
    const key = `${number} ${delta}`;
    const isKnown = highest > 0 && seen.has(key);
    seen.add(key);
    return isKnown;
  };
}
