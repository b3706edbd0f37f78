import type { Dialect } from '../dialect.ts';
import { brokenRule, checkList, HoldfastError } from '../errors.ts';
import { aiSdk } from './ai-sdk/dialect.ts';
import type { AiSdkMessage } from './ai-sdk/wire.ts';
import { anthropic } from './anthropic/dialect.ts';
import type { AnthropicMessage } from './anthropic/wire.ts';
import { gemini } from './gemini/dialect.ts';
import type { GeminiContent } from './gemini/wire.ts';
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

// One instance for all windows: a JavaScript engine would compile the methods again for every new one.
const BUILT_IN: readonly Dialect[] = Object.values(MAKERS).map((make) => Object.freeze(make() as Dialect));
/** The names of the built-in dialects. */
export const DIALECT_NAMES = Object.keys(MAKERS) as readonly DialectName[];
const NAMES = DIALECT_NAMES.join(', ');
const FIX = `Pass messages of ${NAMES}, or your own dialect.`;

/** The dialect of that name with its default options; throws BAD_CONFIG for an unknown name. */
export function dialectNamed(name: string): Dialect {
  const dialect = BUILT_IN.find((one) => one.name === name);
  if (dialect) return dialect;
  throw new HoldfastError('BAD_CONFIG', `unknown dialect "${name}": pass one of ${NAMES}, or your own dialect`);
}

/** The format of these messages; `openai-chat` for plain text, which all formats share. Throws INVALID_HISTORY. */
export function detectDialect(messages: readonly unknown[]): Dialect {
  return identify(messages).dialect;
}

/** The name of the only built-in dialect that these messages can have; undefined if they could have several. Never throws. */
export function recognized(messages: readonly unknown[]): string | undefined {
  try {
    const { certain, dialect } = identify(messages);
    return certain ? dialect.name : undefined;
  } catch {
    return undefined;
  }
}

/** Like `detectDialect`, from the message at `start`; also whether the format is certain, and which ones are possible. */
export function identify(
  messages: readonly unknown[],
  start = 0,
): { readonly dialect: Dialect; readonly certain: boolean; readonly possible: readonly string[] } {
  checkList(messages);
  const possible = new Set(BUILT_IN);
  for (let index = start; index < messages.length; index++) {
    for (const dialect of BUILT_IN) {
      const verdict = dialect.recognizes(messages[index]);
      if (verdict === true) return { dialect, certain: true, possible: [dialect.name] };
      if (verdict === false) possible.delete(dialect);
    }
    if (possible.size === 0) throw brokenRule({ index, rule: 'unknown-format', fix: FIX });
  }
  const left = [...possible];
  return { dialect: left.at(-1) as Dialect, certain: false, possible: left.map(({ name }) => name) };
}
