import type { ChatMessage } from './chat.ts';

/** Extracts the strings to look for: a message's literals, or its lines. */
type Extract = (message: ChatMessage) => ReadonlySet<string>;

/** How many strings the history contains, how many of these are in the view, and which are not. */
interface Presence {
  readonly needed: number;
  readonly had: number;
  readonly missing: readonly string[];
}

/** Nothing was needed. */
const NOTHING: Presence = { needed: 0, had: 0, missing: [] };

/**
 * Returns a function that looks for strings in one history, which may only grow between calls, and in any view. It reads
 * a message only when it enters the history or the view, or leaves the view.
 */
export function createPresence(
  extract: Extract,
): (needed: ReadonlySet<string>, history: readonly ChatMessage[], view: readonly ChatMessage[]) => Presence {
  const seen = new Set<string>();
  let read = 0;
  const held = new Map<string, number>(); // string → messages of the view that contain it
  let shown = new Set<ChatMessage>();
  let latest: readonly ChatMessage[] | undefined;

  const show = (view: readonly ChatMessage[]): void => {
    if (view === latest) return;
    latest = view;
    const next = new Set(view);
    for (const message of next) if (!shown.has(message)) add(held, extract(message), 1);
    for (const message of shown) if (!next.has(message)) add(held, extract(message), -1);
    shown = next;
  };

  return (needed, history, view) => {
    if (needed.size === 0) return NOTHING;
    for (const message of history.slice(read)) for (const text of extract(message)) seen.add(text);
    read = history.length;
    const wanted = [...needed].filter((text) => seen.has(text));
    if (wanted.length === 0) return NOTHING;
    show(view);
    const missing = wanted.filter((text) => !held.has(text));
    return { needed: wanted.length, had: wanted.length - missing.length, missing };
  };
}

function add(counts: Map<string, number>, texts: Iterable<string>, step: 1 | -1): void {
  for (const text of texts) {
    const count = (counts.get(text) ?? 0) + step;
    if (count === 0) counts.delete(text);
    else counts.set(text, count);
  }
}
