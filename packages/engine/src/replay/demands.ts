import { type ChatMessage, remembered } from './chat.ts';

/** Words with which people make demands. */
const DEMAND =
  /\b(?:must|never|always|only|don['’]?t|do not|should(?:n['’]?t)?|need(?:s)? to|make sure|ensure|please|instead|avoid)\b/i;
/** Blocks between tags: programs put them into the user's messages. */
const TAGGED = /<([a-z][\w-]*)(?: [^<>]*)?>[\s\S]*?<\/\1>/gi;
const SENTENCE_END = /(?<=[.!?])\s+|\n+/;
const LEADING_MARKS = /^[\s>*•\d.)-]+/;
const SHORTEST = 12;
const LONGEST = 400;
/** Per message: programs insert whole manuals, which must not outweigh what the user said. */
const MOST = 5;
const NOBODY: ChatMessage = { role: '' };

/** The first sentences of a user's message that demand something, whitespace collapsed. Pure; none for other roles. */
export function demandsIn({ role, content }: ChatMessage): string[] {
  if (role !== 'user' || !content) return [];
  return content
    .replace(TAGGED, '\n')
    .split(SENTENCE_END)
    .map((sentence) => squeezed(sentence.replace(LEADING_MARKS, '')))
    .filter((text) => text.length >= SHORTEST && text.length <= LONGEST && DEMAND.test(text))
    .slice(0, MOST);
}

/** How many demands the user has made so far, and which of them the view does not contain word for word. */
export interface DemandsHeld {
  readonly demands: number;
  /** Indices in the history of the demands that the view lacks. */
  readonly missing: readonly number[];
}

/** Returns a function that tracks the demands of one conversation, whose history may only grow, in its views. */
export function createDemands(): (history: readonly ChatMessage[], view: readonly ChatMessage[]) => DemandsHeld {
  const demands = new Map<string, number>(); // demand → where it was last said
  let read = 0;
  let shown: readonly ChatMessage[] = [];
  let missing = new Set<string>();

  return (history, view) => {
    const isGrown = shown.length <= view.length && shown.every((message, i) => message === view[i]);
    // A view that only grew still contains what it contained before.
    const fresh = isGrown ? view.slice(shown.length) : view;
    if (!isGrown) missing = new Set(demands.keys());
    for (; read < history.length; read++)
      for (const text of demandsIn(history[read] ?? NOBODY)) {
        if (!demands.has(text)) missing.add(text);
        demands.set(text, read);
      }
    for (const message of missing.size > 0 ? fresh : [])
      for (const text of missing) if (wordsOf(message).includes(text)) missing.delete(text);
    shown = view;
    return { demands: demands.size, missing: [...missing].map((text) => demands.get(text) ?? 0) };
  };
}

/** The text of the user, the assistant or a note, whitespace collapsed; none of a tool. */
const wordsOf = remembered(({ role, content }: ChatMessage): string =>
  role === 'user' || role === 'assistant' ? squeezed(content ?? '') : '',
);

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
