import type { AnthropicMessageRule, AnthropicWalk } from '../rules.ts';
import type { AnthropicBlock } from '../wire.ts';

/** What the API says when a rule of the dialect is broken; `path` is where, `block` what stands there. */
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
  // The API's code is compaction_block_misplaced; its words were not recorded.
  'misplaced-compaction': (path) => `${path}: \`compaction\` block must be in the first message, of the assistant`,
  'missing-signature': (path) => `${path}.thinking.signature: Field required`,
  'unanswered-server-call': (path, _, block) => {
    const name = block?.type === 'mcp_tool_use' ? 'mcp' : String(block?.name);
    // Both searches for tools answer with one kind of block.
    const result = name.startsWith('tool_search_tool') ? 'tool_search_tool_result' : `${name}_tool_result`;
    return `${path.replace(/\.content.*/, '')}: \`${name}\` tool use with id \`${block?.id}\` was found without a corresponding \`${result}\` block`;
  },
};
