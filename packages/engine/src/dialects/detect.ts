import type { Dialect } from '../dialect.ts';
import { HoldfastError } from '../errors.ts';
import { aiSdk } from './ai-sdk/dialect.ts';
import type { AiSdkMessage } from './ai-sdk/wire.ts';
import { anthropic } from './anthropic/dialect.ts';
import type { AnthropicMessage } from './anthropic/wire.ts';
import { gemini } from './gemini/dialect.ts';
import type { GeminiContent } from './gemini/wire.ts';
import { identify } from './identify.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import type { OpenaiChatMessage } from './openai-chat/wire.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import type { OpenaiResponsesItem } from './openai-responses/wire.ts';

/**
 * The built-in dialects; a new one is its folder and a line here. Order matters: the AI SDK comes first because it shares
 * part types with others but adds its own fields, and the last one gets plain text, which all formats share.
 */
const MAKERS = {
  'ai-sdk': aiSdk,
  anthropic,
  gemini,
  'openai-responses': openaiResponses,
  'openai-chat': openaiChat,
} as const;

/** The built-in dialects by name. */
export type DialectName = keyof typeof MAKERS;

/** The messages of a built-in dialect. */
export type MessageOf<N extends DialectName> = Messages[N];

interface Messages extends Record<DialectName, unknown> {
  'ai-sdk': AiSdkMessage;
  anthropic: AnthropicMessage;
  gemini: GeminiContent;
  'openai-responses': OpenaiResponsesItem;
  'openai-chat': OpenaiChatMessage;
}

/** The built-in dialects. One instance for all windows: a JavaScript engine would compile the methods again for every new one. */
export const DIALECTS: readonly Dialect[] = Object.values(MAKERS).map((make) => Object.freeze(make() as Dialect));
/** The names of the built-in dialects. */
export const DIALECT_NAMES = Object.keys(MAKERS) as readonly DialectName[];
const NAMES = DIALECT_NAMES.join(', ');

/** The dialect of that name with its default options; throws BAD_CONFIG for an unknown name. */
export function dialectNamed(name: string): Dialect {
  const dialect = DIALECTS.find((one) => one.name === name);
  if (dialect) return dialect;
  throw new HoldfastError('BAD_CONFIG', `unknown dialect "${name}": pass one of ${NAMES}, or your own dialect`);
}

/** The format of these messages; `openai-chat` for plain text, which all formats share. Throws INVALID_HISTORY. */
export function detectDialect(messages: readonly unknown[]): Dialect {
  return identify(DIALECTS, messages).dialect;
}
