import type { Violation } from '../../dialect.ts';
import { isRecord } from '../../json/record.ts';
import type { OpenaiChatMessage } from './wire.ts';

/** The rules for messages, except pairing, with how to fix a violation. */
export const OPENAI_CHAT_MESSAGE_RULES = {
  'null-content': 'Send a string, or drop the message.',
  'bad-message': 'Send an object with a role, and content that is a string, a list or null.',
} as const satisfies Readonly<Record<string, string>>;

/** Rules that only OpenAI's own API has: vLLM's ids are longer, and many servers accept images as results. */
export const OPENAI_CHAT_STRICT_RULES = {
  'long-call-id': 'Shorten the id, in the call and in its tool message alike.',
  'result-content': 'Use a string or text parts in the tool message.',
} as const satisfies Readonly<Record<string, string>>;

/** The longest id of a call. */
export const ID_LENGTH = 40;

/** Every rule above that these messages break, in part of a request or the whole. Pure; never throws. */
export function validateOpenaiChat(messages: readonly OpenaiChatMessage[], strict = false): Violation[] {
  const rules = { ...OPENAI_CHAT_MESSAGE_RULES, ...OPENAI_CHAT_STRICT_RULES };
  return messages.flatMap((message, index) => {
    const rule = brokenBy(message) ?? (strict ? refusedFor(message) : undefined);
    return rule ? { index, rule, fix: rules[rule] } : [];
  });
}

/** The strict rule that this message breaks, if any. */
export function refusedFor(message: OpenaiChatMessage): keyof typeof OPENAI_CHAT_STRICT_RULES | undefined {
  const { role, content, tool_call_id, tool_calls: calls } = message;
  const ids = [tool_call_id, ...(Array.isArray(calls) ? calls.map((call) => call?.id) : [])];
  if (ids.some((id) => String(id ?? '').length > ID_LENGTH)) return 'long-call-id';
  return role === 'tool' && Array.isArray(content) && !content.every(isTextPart) ? 'result-content' : undefined;
}

export function isTextPart(part: unknown): boolean {
  return isRecord(part) && part.type === 'text';
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
