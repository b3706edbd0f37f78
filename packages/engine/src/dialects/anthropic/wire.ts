/** A cache marker; without `ttl` it lives for five minutes. */
export interface CacheControl {
  readonly type: string;
  readonly ttl?: string;
}

/** A content block of any type: the fields that the rules look at, all others left alone. */
export interface AnthropicBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: unknown;
  readonly thinking?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly source?: unknown;
  readonly cache_control?: CacheControl | null;
}

/** Who may speak. */
export const ROLE = /^(?:user|assistant|system)$/;

/** A message of the Messages API: `role` is user, assistant or system. */
export interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
}

/** The message's content as blocks; none if it is nothing of the kind. */
export function blocksOf(message: AnthropicMessage | undefined): readonly AnthropicBlock[] {
  const content = message?.content;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

/** True for thinking, readable or redacted. */
export function isThinking({ type }: AnthropicBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** True if there is nothing but white space in it. */
export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}
