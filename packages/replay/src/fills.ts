import type { ChatMessage } from './chat.ts';

/** What fills a view, in tokens: messages, calls, results, and what the policy made of the rest. */
export interface Fills {
  readonly system: number;
  readonly user: number;
  readonly assistant: number;
  readonly results: number;
  /** Results and texts that the policy shortened. */
  readonly masked: number;
  /** The policy's own messages. */
  readonly note: number;
  /** What the policy added to the end of messages. */
  readonly reminders: number;
}

/** The tokens of a view by kind; calls count as the assistant's. Pure. */
export function fillsOf(
  view: readonly ChatMessage[],
  history: readonly ChatMessage[],
  size: (message: ChatMessage) => number,
): Fills {
  const fills = { system: 0, user: 0, assistant: 0, results: 0, masked: 0, note: 0, reminders: 0 };
  const known = new Set(history);
  for (const message of view) {
    const original = known.has(message) ? message : history.findLast((one) => isExtended(one, message));
    if (original) {
      fills[kindOf(original)] += size(original);
      fills.reminders += size(message) - size(original);
    } else fills[message.role === 'tool' || message.tool_calls ? 'masked' : 'note'] += size(message);
  }
  return fills;
}

/** True if the message is the original with more text at its end. */
function isExtended(original: ChatMessage, message: ChatMessage): boolean {
  const isSame = original.role === message.role && original.tool_call_id === message.tool_call_id;
  return isSame && Boolean(original.content) && (message.content ?? '').startsWith(original.content ?? '');
}

function kindOf({ role }: ChatMessage): 'system' | 'user' | 'assistant' | 'results' {
  if (role === 'tool') return 'results';
  return role === 'user' || role === 'assistant' ? role : 'system';
}
