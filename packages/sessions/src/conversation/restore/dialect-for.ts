import { DIALECT_NAMES, type Dialect, detectDialect, dialectNamed } from 'holdfast';
import type { WireMessage } from '../../entry.ts';

/** The built-in dialect of this name, or the one that these messages are in. */
export function dialectFor(name: string | undefined, ...messages: readonly WireMessage[]): Dialect<unknown> {
  const known = DIALECT_NAMES.find((one) => one === name);
  return known === undefined ? detectDialect(messages) : dialectNamed(known);
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
