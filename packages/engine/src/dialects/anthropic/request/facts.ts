import type { AnthropicBlock, AnthropicMessage, CacheControl } from '../wire.ts';

/** What the rules need to know of a model; a rule whose fact is absent is not checked. */
export interface AnthropicModel {
  /** False if the conversation must end with a user message. */
  readonly prefill?: boolean;
  /** Which `thinking.type` it takes. */
  readonly thinking?: 'enabled' | 'adaptive' | 'both';
  /** True if thinking blocks are bound to what stood before them. */
  readonly binding?: boolean;
  /** False if `tool_choice` may not be `tool` or `any`. */
  readonly forced_tool_choice?: boolean;
  /** False if system messages inside the conversation are refused. */
  readonly system_messages?: boolean;
  /** True if `max_tokens` counts towards the context limit. */
  readonly counts_output?: boolean;
  /** How many images a request may hold: 600, or 100 where the context is 200,000 tokens. */
  readonly images?: number;
}

/** What is wrong with a thinking block: its signature does not fit it, or it was made after another prefix. */
export type SignatureFault = 'tampered' | { readonly cause: string };

/**
 * What is known of a request beside its messages: fields of its body under their own names, and facts about it. A rule
 * whose fact is absent is not checked, so a server passes `tools: []` and `betas: []` where a request has none.
 */
export interface AnthropicRequest {
  /** The messages are whole turns from the middle of a longer request. */
  readonly part?: boolean;
  readonly system?: string | readonly AnthropicBlock[];
  readonly tools?: readonly {
    readonly type?: string;
    readonly name?: string;
    readonly cache_control?: CacheControl | null;
  }[];
  readonly tool_choice?: { readonly type: string };
  readonly thinking?: {
    readonly type: string;
    readonly block_binding?: { readonly prefix_mismatch_behavior?: string };
  };
  readonly cache_control?: CacheControl | null;
  readonly max_tokens?: number;
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[];
  /** Tokens of the whole prompt. */
  readonly input_tokens?: number;
  /** Tokens that the model takes. */
  readonly limit?: number;
  /** Size of the body. */
  readonly bytes?: number;
  readonly model?: AnthropicModel;
  /** Judges the signature of a thinking block that stands in message `index`. */
  readonly signature?: (
    block: AnthropicBlock,
    messages: readonly AnthropicMessage[],
    index: number,
  ) => SignatureFault | undefined;
  /** Signatures (`data` of redacted blocks) of all thinking in this conversation, in their original order. */
  readonly signatures?: readonly string[];
  /** The latest assistant message as it was answered. */
  readonly latest?: AnthropicMessage;
}
