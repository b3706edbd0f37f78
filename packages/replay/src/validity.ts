import type { ChatMessage } from './chat.ts';

/**
 * Where messages break the pairing rules of OpenAI chat: every call is followed by its result, every result has a call,
 * and the user speaks first after the system. Pure; empty means valid.
 */
export function chatViolations(messages: readonly ChatMessage[]): string[] {
  const found: string[] = [];
  let open = new Set<string>();
  const close = (place: string): void => {
    if (open.size > 0) found.push(`${place}: calls without result: ${[...open].join(', ')}`);
  };
  messages.forEach((message, index) => {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id ?? '')) found.push(`message ${index}: result without call`);
      return;
    }
    close(`message ${index}`);
    open = new Set(message.tool_calls?.map((call) => call.id));
  });
  close('end');
  const first = messages.find((message) => message.role !== 'system' && message.role !== 'developer');
  if (first && first.role !== 'user') found.push(`starts with ${first.role}`);
  return found;
}
