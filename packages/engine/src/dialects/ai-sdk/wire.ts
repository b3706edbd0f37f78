/** Options by provider. */
export type AiSdkOptions = Readonly<Record<string, unknown>>;

/** The output of a tool: `text`, `json`, `error-text`, `error-json`, `content` (a list of items) or `execution-denied`. */
export interface AiSdkOutput {
  readonly type: string;
  readonly value?: unknown;
  readonly reason?: string | undefined;
  readonly providerOptions?: AiSdkOptions | undefined;
}

/** A part of any type: the fields that the rules read. */
export interface AiSdkPart {
  readonly type: string;
  readonly text?: string;
  readonly kind?: string;
  readonly image?: unknown;
  readonly data?: unknown;
  readonly mediaType?: string | undefined;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: AiSdkOutput;
  readonly approvalId?: string;
  readonly approved?: boolean;
  /** The provider runs the tool, and the result is in a message of the assistant. */
  readonly providerExecuted?: boolean | undefined;
  readonly providerOptions?: AiSdkOptions | undefined;
}

/** A ModelMessage of the AI SDK: `role` is system, user, assistant or tool. */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: string | readonly AiSdkPart[];
  readonly providerOptions?: AiSdkOptions | undefined;
}

/** The message's content as parts; empty if it is neither text nor a list. */
export function partsOf({ content }: AiSdkMessage): readonly AiSdkPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

/** True for reasoning, as text or a file. */
export function isReasoning({ type }: AiSdkPart): boolean {
  return type === 'reasoning' || type === 'reasoning-file';
}

/** True for the message's own text and files. */
export function isWords({ type }: AiSdkPart): boolean {
  return type === 'text' || type === 'file' || type === 'image';
}
