import type { ChatMessage } from './chat.ts';

/** Words by which people say what must be so. */
const DEMAND =
  /\b(?:must|never|always|only|don['’]?t|do not|should(?:n['’]?t)?|need(?:s)? to|make sure|ensure|please|instead|avoid)\b/i;
/** What programs put into the user's messages: blocks between tags. */
const TAGGED = /<([a-z][\w-]*)(?: [^<>]*)?>[\s\S]*?<\/\1>/gi;
const SENTENCE_END = /(?<=[.!?])\s+|\n+/;
const LEADING_MARKS = /^[\s>*•\d.)-]+/;
const SHORTEST = 12;
const LONGEST = 400;
/** Of a message: programs put whole manuals into the user's mouth, and they must not outweigh what the user said. */
const MOST = 5;
const NOBODY: ChatMessage = { role: '' };

/** The first sentences of a user's message that demand something, with blanks as one. Pure; none for other roles. */
export function demandsIn({ role, content }: ChatMessage): string[] {
  if (role !== 'user' || !content) return [];
  return content
    .replace(TAGGED, '\n')
    .split(SENTENCE_END)
    .map((sentence) => squeezed(sentence.replace(LEADING_MARKS, '')))
    .filter((text) => text.length >= SHORTEST && text.length <= LONGEST && DEMAND.test(text))
    .slice(0, MOST);
}

/** How many demands the user has made so far, how many of them the view holds word for word, and where it does not. */
export interface DemandsHeld {
  readonly demands: number;
  /** Places of the history at which those that it does not hold were said. */
  readonly missing: readonly number[];
}

/** A function that follows the demands of one conversation, whose history may only grow, through its views. */
export function createDemands(): (history: readonly ChatMessage[], view: readonly ChatMessage[]) => DemandsHeld {
  const demands = new Map<string, number>(); // demand → where it was last said
  let read = 0;
  let shown: readonly ChatMessage[] = [];
  let missing = new Set<string>();

  return (history, view) => {
    const isGrown = shown.length <= view.length && shown.every((message, i) => message === view[i]);
    // A view that only grew at its end still holds what it held, and may hold more.
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

const known = new WeakMap<ChatMessage, string>();

/** The words of the user, of the assistant or of a note, with blanks as one; none of a tool. */
function wordsOf(message: ChatMessage): string {
  if (message.role !== 'user' && message.role !== 'assistant') return '';
  let words = known.get(message);
  if (words === undefined) {
    words = squeezed(message.content ?? '');
    known.set(message, words);
  }
  return words;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
