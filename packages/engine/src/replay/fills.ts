import type { ChatMessage } from './chat.ts';

/** What fills a view, in tokens: words that were said, calls, results, and what the policy made of the rest. */
export interface Fills {
  readonly system: number;
  readonly user: number;
  readonly assistant: number;
  readonly results: number;
  /** Results and words that the policy shortened. */
  readonly masked: number;
  /** Messages of the policy's own. */
  readonly note: number;
}

/** The tokens of a view by what they are; calls count as the assistant's. Pure. */
export function fillsOf(
  view: readonly ChatMessage[],
  history: ReadonlySet<ChatMessage>,
  size: (message: ChatMessage) => number,
): Fills {
  const fills = { system: 0, user: 0, assistant: 0, results: 0, masked: 0, note: 0 };
  for (const message of view) fills[kindOf(message, history)] += size(message);
  return fills;
}

function kindOf(message: ChatMessage, history: ReadonlySet<ChatMessage>): keyof Fills {
  const { role } = message;
  if (!history.has(message)) return role === 'tool' || message.tool_calls ? 'masked' : 'note';
  if (role === 'tool') return 'results';
  return role === 'user' || role === 'assistant' ? role : 'system';
}
