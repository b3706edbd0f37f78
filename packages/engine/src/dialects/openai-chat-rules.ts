import { isRecord } from '../content.ts';
import type { Violation } from '../dialect.ts';
import type { OpenaiChatMessage } from './openai-chat-wire.ts';

/** The rules that messages can break beside those of pairing, with what to do when one is broken. */
export const OPENAI_CHAT_MESSAGE_RULES = {
  'null-content': 'Send a string, or drop the message.',
  'bad-message': 'Send an object with a role, and content that is a string, a list or null.',
} as const satisfies Readonly<Record<string, string>>;

/** Every rule above that these messages break. They hold for a part as for the whole. Pure; never throws. */
export function validateOpenaiChat(messages: readonly OpenaiChatMessage[]): Violation[] {
  return messages.flatMap((message, index) => {
    const rule = brokenBy(message);
    return rule ? { index, rule, fix: OPENAI_CHAT_MESSAGE_RULES[rule] } : [];
  });
}

/** The rule above that this message breaks, if any. */
export function brokenBy(message: OpenaiChatMessage | undefined): keyof typeof OPENAI_CHAT_MESSAGE_RULES | undefined {
  if (!isRecord(message) || typeof message.role !== 'string') return 'bad-message';
  const { content } = message;
  if (typeof content !== 'string' && !Array.isArray(content) && (content ?? null) !== null) return 'bad-message';
  return (message.content ?? null) === null && !mayBeSilent(message) ? 'null-content' : undefined;
}

function mayBeSilent({ role, tool_calls: calls, function_call, refusal, audio }: OpenaiChatMessage): boolean {
  const acts = calls?.length || function_call || refusal || audio;
  return role === 'function' || (role === 'assistant' && Boolean(acts));
}
