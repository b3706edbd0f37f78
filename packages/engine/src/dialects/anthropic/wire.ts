/** A cache marker; without `ttl` it lives for five minutes. */
export interface CacheControl {
  readonly type: string;
  readonly ttl?: string;
}

/** A content block of any type: the fields that the rules read. */
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
  /** What a block that changes the tools is about. */
  readonly tool?: unknown;
  readonly cache_control?: CacheControl | null;
}

export const ROLE = /^(?:user|assistant|system)$/;

/** A message of the Messages API: `role` is user, assistant or system. */
export interface AnthropicMessage {
  readonly role: string;
  readonly content: string | readonly AnthropicBlock[];
  /** On system messages only, with a beta header. */
  readonly output_config?: unknown;
  readonly clear_at?: unknown;
}

/** The message's content as blocks; empty if it is neither text nor a list. */
export function blocksOf(message: AnthropicMessage | undefined): readonly AnthropicBlock[] {
  const content = message?.content;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

/** True for thinking, readable or redacted. */
export function isThinking({ type }: AnthropicBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** True if a text is empty or only whitespace. */
export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}
