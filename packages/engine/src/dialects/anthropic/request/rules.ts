import { API_PAIR_RULES, type RequestViolation } from '../../../rules/pair-rules.ts';
import { ANTHROPIC_MESSAGE_RULES, type AnthropicMessageRule, type AnthropicWalk } from '../rules.ts';
import type { AnthropicBlock, AnthropicMessage, CacheControl } from '../wire.ts';

/** What the rules need to know about a model; a rule whose fact is absent is not checked. */
export interface AnthropicModel {
  /** False if the conversation must end with a user message. */
  readonly prefill?: boolean;
  /** Which `thinking.type` it accepts. */
  readonly thinking?: 'enabled' | 'adaptive' | 'both';
  /** True if thinking blocks are bound to the messages before them. */
  readonly binding?: boolean;
  /** False if `tool_choice` may not be `tool` or `any`. */
  readonly forced_tool_choice?: boolean;
  /** False if system messages inside the conversation are refused. */
  readonly system_messages?: boolean;
  /** True if `max_tokens` counts towards the context limit. */
  readonly counts_output?: boolean;
  /** The most images in a request: 600, or 100 if the window is 200,000 tokens. */
  readonly images?: number;
}

/** What is wrong with a thinking block: its signature does not match it, or it was made after a different prefix. */
export type SignatureFault = 'tampered' | { readonly cause: string };

/**
 * What is known about a request besides its messages: fields of its body, and facts about it. A rule whose fact is absent
 * is not checked, so a server passes `tools: []` and `betas: []` if a request has none.
 */
export interface AnthropicRequest {
  /** The messages are whole turns from the middle of a longer request. */
  readonly part?: boolean;
  readonly system?: string | readonly AnthropicBlock[];
  readonly tools?: readonly {
    readonly type?: string;
    readonly name?: string;
    readonly defer_loading?: unknown;
    readonly cache_control?: CacheControl | null;
  }[];
  readonly tool_choice?: { readonly type: string };
  readonly thinking?: {
    readonly type: string;
    readonly block_binding?: { readonly prefix_mismatch_behavior?: string };
  };
  readonly cache_control?: CacheControl | null;
  readonly context_management?: unknown;
  readonly output_config?: unknown;
  readonly output_format?: unknown;
  readonly thread?: unknown;
  readonly mcp_servers?: unknown;
  readonly diagnostics?: unknown;
  readonly speed?: unknown;
  readonly metadata?: unknown;
  readonly service_tier?: unknown;
  readonly stop_sequences?: unknown;
  readonly max_tokens?: number;
  /** Values of the `anthropic-beta` header. */
  readonly betas?: readonly string[];
  /** Tokens in the whole prompt. */
  readonly input_tokens?: number;
  /** The model's window, in tokens. */
  readonly limit?: number;
  /** Size of the body in bytes. */
  readonly bytes?: number;
  readonly model?: AnthropicModel;
  /** Checks the signature of a thinking block in message `index`. */
  readonly signature?: (
    block: AnthropicBlock,
    messages: readonly AnthropicMessage[],
    index: number,
  ) => SignatureFault | undefined;
  /** Signatures (`data` of redacted blocks) of all thinking in the conversation, in their original order. */
  readonly signatures?: readonly string[];
  /** The latest assistant message as the API returned it. */
  readonly latest?: AnthropicMessage;
}

/** The rules for fields besides the messages, with how to fix a violation. */
export const ANTHROPIC_FIELD_RULES = {
  'bad-field': 'Send the field as the API documents it.',
  'edit-without-thinking': 'Turn thinking on, or leave the clear_thinking edit out.',
  'edit-order': 'Put the clear_thinking edit first.',
  'all-tools-deferred': 'Load at least one tool from the start: without defer_loading.',
  'unknown-tool-reference': 'Define the tool in the request, or drop the reference to it.',
} as const satisfies Readonly<Record<string, string>>;

/** Every rule of the Messages API that is checked, with how to fix a violation. */
export const ANTHROPIC_RULES = {
  ...ANTHROPIC_MESSAGE_RULES,
  ...API_PAIR_RULES,
  'duplicate-call-id': 'Give each call its own id.',
  'tools-missing': 'Define the tools in the request, or drop the tool blocks.',
  'no-prefill': 'End the conversation with a user message.',
  'no-system-messages': 'Put it in a user message, or in the system parameter of the request.',
  'marker-conflict': 'Give both markers the same ttl, or drop one.',
  'marker-on-thinking': 'Move the marker to a block that is not thinking.',
  'thinking-mode': 'Use a thinking.type that this model supports.',
  'changed-thinking': 'Send the thinking blocks of the latest assistant message unchanged, or none of them.',
  'missing-thinking': 'Keep the thinking block with which the latest tool loop began, or turn thinking off.',
  'bad-signature': 'Send the thinking block unchanged, or drop it.',
  'bound-thinking': 'Remove all thinking after the change, or ask the API to drop it.',
  'binding-header': 'Send the beta header thinking-binding-controls-2026-08-01, or leave block_binding out.',
  'forced-tool-choice': 'Use tool_choice auto or none.',
  'prompt-too-long': 'Send fewer tokens.',
  'context-exceeded': 'Send fewer tokens, or lower max_tokens.',
  'many-images-side': 'Scale the image down to 2000 pixels a side, or send at most 20 images.',
  'image-side': 'Scale the image down to 8000 pixels a side.',
  'image-bytes': 'Compress the image to at most 10 MB.',
  'too-many-images': 'Drop the oldest images and documents.',
  'body-too-large': 'Send at most 32 MB.',
  'too-many-messages': 'Send at most 100,000 messages.',
  'extra-field': 'Leave the field out, or send the beta header that allows it.',
  ...ANTHROPIC_FIELD_RULES,
  'result-content': 'Use only block types that a tool_result allows.',
} as const satisfies Readonly<Record<string, string>>;

/** The name of a rule, as violations give it. */
export type AnthropicRule = keyof typeof ANTHROPIC_RULES;

/** The state of one pass over the messages. */
export interface Walk extends AnthropicWalk {
  readonly request: AnthropicRequest;
  readonly found: RequestViolation[];
  tools: boolean;
  images: number;
  /** Pages of PDFs, if the PDF states them. */
  pages: number;
  /** Images too large for a request with many images. */
  readonly large: { readonly index: number; readonly path: string }[];
  /** Tools that the messages load, each with the index of its message. */
  readonly references: { readonly index: number; readonly name: string }[];
  /** Position of the next thinking block in the original order; -1 before the first. */
  thought: number;
}

/** The path of a block, as the API writes it. */
export function place(index: number, at: number): string {
  return `messages.${index}.content.${at}`;
}

/** The API's error text for rules about the request that is always the same. */
const FIXED_TEXTS: Readonly<Partial<Record<AnthropicRule, string>>> = {
  'body-too-large': 'Request exceeds the maximum size',
  'no-prefill': 'This model does not support assistant message prefill. The conversation must end with a user message.',
  'no-system-messages': "role 'system' is not supported on this model",
  'tools-missing': 'Requests which include `tool_use` or `tool_result` blocks must define tools.',
  'forced-tool-choice': 'tool_choice: type "tool" and "any" are not supported for this model.',
  'all-tools-deferred': 'All tools have defer_loading set. At least one tool must be non-deferred.',
  'edit-without-thinking': '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive',
};

/** Records a violation. */
export function report(walk: Walk, index: number, rule: AnthropicRule, message = FIXED_TEXTS[rule] ?? ''): void {
  walk.found.push({ index, rule, message, fix: ANTHROPIC_RULES[rule] });
}

/** The API's error text for each message rule; `path` names the block that breaks it. */
export const ANTHROPIC_TEXTS: Readonly<
  Record<AnthropicMessageRule, (path: string, walk: AnthropicWalk, block?: AnthropicBlock) => string>
> = {
  'result-in-assistant': (path) => `${path}: \`tool_result\` blocks can only be in \`user\` messages`,
  'empty-text': () => 'messages: text content blocks must be non-empty',
  'marker-on-empty-text': (path) => `${path}.text: cache_control cannot be set for empty text blocks`,
  'blank-text': () => 'messages: text content blocks must contain non-whitespace text',
  'empty-message': (path) =>
    `${path}: all messages must have non-empty content except for the optional final assistant message`,
  'bad-content': (path, _, block) =>
    `${path}${block ? '.tool_result' : ''}.content: Input should be a valid string or list`,
  'bad-role': (path) => `${path}.role: Input should be 'user', 'assistant' or 'system'`,
  'trailing-whitespace': () => 'messages: final assistant content cannot end with trailing whitespace',
  'first-assistant': () => 'messages: first message must use the "user" role',
  'first-system': (path) => `${path}: use the top-level 'system' parameter for the initial system prompt`,
  'misplaced-system': (path) =>
    `${path}: role 'system' must follow a 'user' message and precede an 'assistant' message`,
  'too-many-markers': (_, { markers }) => `A maximum of 4 blocks with cache_control may be provided. Found ${markers}.`,
  'marker-order': (path) =>
    `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: tools, system, messages.`,
  'bad-call-id': (path) => `${path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`,
  'bad-call-input': (path) => `${path}.tool_use.input: Input should be a valid dictionary`,
  'call-in-user': (path) => `${path}: \`tool_use\` blocks can only be in \`assistant\` messages`,
  'thinking-in-user': (path) => `${path}: \`thinking\` blocks can only be in \`assistant\` messages`,
  // The API's code is compaction_block_misplaced; its text was not recorded.
  'misplaced-compaction': (path) => `${path}: \`compaction\` block must be in the first message, of the assistant`,
  'missing-signature': (path) => `${path}.thinking.signature: Field required`,
  'unanswered-server-call': (path, _, block) => {
    const name = block?.type === 'mcp_tool_use' ? 'mcp' : String(block?.name);
    // Both tool searches return the same kind of block.
    const result = name.startsWith('tool_search_tool') ? 'tool_search_tool_result' : `${name}_tool_result`;
    return `${path.replace(/\.content.*/, '')}: \`${name}\` tool use with id \`${block?.id}\` was found without a corresponding \`${result}\` block`;
  },
};
