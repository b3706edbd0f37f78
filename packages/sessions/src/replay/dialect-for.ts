import { aiSdk, anthropic, type Dialect, detectDialect, openaiChat, openaiResponses } from 'holdfast';
import type { WireMessage } from '../entry.ts';

const BUILT_IN: Readonly<Record<string, () => Dialect<never>>> = {
  'ai-sdk': () => aiSdk() as Dialect<never>,
  anthropic: () => anthropic() as Dialect<never>,
  'openai-chat': () => openaiChat() as Dialect<never>,
  'openai-responses': () => openaiResponses() as Dialect<never>,
};

/** The built-in dialect of this name, or the one that these messages are in. */
export function dialectFor(name: string | undefined, ...messages: readonly WireMessage[]): Dialect<unknown> {
  const made = name === undefined ? undefined : BUILT_IN[name]?.();
  return (made as Dialect<unknown> | undefined) ?? detectDialect(messages);
}

/** True for a plain text message, which is the same in Anthropic's format and in Chat Completions. Pure. */
export function isTextOnly({ role, content, ...rest }: WireMessage): boolean {
  if ((role !== 'user' && role !== 'assistant') || Object.keys(rest).length > 0) return false;
  return typeof content === 'string' || (Array.isArray(content) && content.every(isText));
}

function isText(block: unknown): boolean {
  const { type, text, ...rest } = (block ?? {}) as Record<string, unknown>;
  return type === 'text' && typeof text === 'string' && Object.keys(rest).length === 0;
}
