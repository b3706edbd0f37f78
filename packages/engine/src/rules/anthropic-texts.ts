import type { AnthropicMessageRule, AnthropicWalk } from '../dialects/anthropic-rules.ts';

/** What the API says when a rule of the dialect is broken; `path` is where. */
export const ANTHROPIC_TEXTS: Readonly<Record<AnthropicMessageRule, (path: string, walk: AnthropicWalk) => string>> = {
  'result-in-assistant': (path) => `${path}: \`tool_result\` blocks can only be in \`user\` messages`,
  'empty-text': () => 'messages: text content blocks must be non-empty',
  'marker-on-empty-text': (path) => `${path}.text: cache_control cannot be set for empty text blocks`,
  'blank-text': () => 'messages: text content blocks must contain non-whitespace text',
  'empty-message': (path) =>
    `${path}: all messages must have non-empty content except for the optional final assistant message`,
  'bad-content': (path) => `${path}.content: Input should be a valid string or list`,
  'trailing-whitespace': () => 'messages: final assistant content cannot end with trailing whitespace',
  'first-assistant': () => 'messages: first message must use the "user" role',
  'first-system': (path) => `${path}: use the top-level 'system' parameter for the initial system prompt`,
  'misplaced-system': (path) =>
    `${path}: role 'system' must follow a 'user' message and precede an 'assistant' message`,
  'too-many-markers': (_, { markers }) => `A maximum of 4 blocks with cache_control may be provided. Found ${markers}.`,
};
