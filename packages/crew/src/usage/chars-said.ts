import { createHash } from 'node:crypto';
import type { CrewMessage } from '../config/config.ts';
import { carriedIn, isNote } from '../history/note.ts';

/** Most characters of another agent's tool result that an agent is shown. No measurement supports it. */
export const MAX_RESULT_CHARS = 2_000;
/** Names and brackets around the text of a message. */
const AROUND = 12;

/** About how many characters agents are shown for these messages. Notes, which replace other messages, do not count. Pure. */
export function charsShown(messages: readonly CrewMessage[]): number {
  let chars = 0;
  for (const message of messages) if (!isNote(message)) chars += charsOf(message);
  return chars;
}

/** The same with the messages that a note replaced, assuming that they were like the rest. Pure. */
export function charsSaid(history: readonly CrewMessage[]): number {
  const chars = charsShown(history);
  const { messages: left = 0 } = carriedIn(history) ?? {};
  const messages = history.filter((message) => !isNote(message)).length;
  return messages === 0 ? chars : chars + (chars / messages) * left;
}

function charsOf(message: CrewMessage): number {
  const { content } = message;
  if (message.role === 'tool') return Math.min(content.length, MAX_RESULT_CHARS) + AROUND;
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.reduce(
    (sum, { function: { name, arguments: args } }) => sum + name.length + args.length + AROUND,
    content.length + AROUND,
  );
}

/** Remembers how much was said in conversations whose pruned history the client keeps. Used for cost estimates only. */
export type CharsMemory = ReturnType<typeof createCharsMemory>;

/** Number of conversations to remember, about 150 bytes each. */
const MAX_CONVERSATIONS = 1_000;

/** Remembers the newest conversations of this process. */
export function createCharsMemory() {
  const known = new Map<string, { readonly said: number; readonly time: number }>();
  return {
    /** For a history that was returned earlier: characters said, and whether a cache may still hold them. */
    get(history: readonly CrewMessage[]) {
      const found = known.get(keyOf(history));
      return found && { said: found.said, warm: isCacheWarm(found.time) };
    },
    keep(history: readonly CrewMessage[], said: number): void {
      const key = keyOf(history);
      known.delete(key);
      known.set(key, { said, time: Date.now() });
      const [oldest] = known.keys();
      if (known.size > MAX_CONVERSATIONS && oldest !== undefined) known.delete(oldest);
    },
  };
}

/** Identifies a history by its size and the ends of its last four messages. */
function keyOf(history: readonly CrewMessage[]): string {
  const last = history.slice(-4).map(({ role, content }) => [role, content.length, content.slice(-1_000)]);
  return createHash('sha256')
    .update(JSON.stringify([history.length, charsShown(history), last]))
    .digest('base64url');
}

/** Providers keep a prompt in their caches for at least five minutes, and seldom longer. */
const CACHE_MS = 5 * 60_000;

/** True if a provider's cache may still hold what was sent at this time. */
export function isCacheWarm(time: number): boolean {
  return Date.now() - time < CACHE_MS;
}
