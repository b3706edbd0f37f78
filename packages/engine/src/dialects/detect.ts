import type { Dialect } from '../dialect.ts';
import { brokenRule, checkList, HoldfastError } from '../errors.ts';
import { aiSdk } from './ai-sdk/dialect.ts';
import { anthropic } from './anthropic/dialect.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponses } from './openai-responses/dialect.ts';

const FIX = 'Pass messages as the Anthropic or OpenAI API or the AI SDK takes them, or name a dialect.';

/** The built-in dialects by name. */
export type DialectName = 'ai-sdk' | 'anthropic' | 'openai-responses' | 'openai-chat';

/** The AI SDK's part types that others have, too, carry fields of their own, so it is asked first; the last one gets plain texts. */
const BUILT_IN: readonly Dialect[] = [aiSdk(), anthropic(), openaiResponses(), openaiChat()].map(
  // One of each for all windows: the compiler of a JavaScript engine would start over for every new one.
  (dialect) => Object.freeze(dialect as Dialect),
);

/** The dialect of that name with its default options; throws BAD_CONFIG for a name nobody knows. */
export function dialectNamed(name: string): Dialect {
  const dialect = BUILT_IN.find((one) => one.name === name);
  if (dialect) return dialect;
  throw new HoldfastError(
    'BAD_CONFIG',
    `unknown dialect "${name}": use "ai-sdk", "anthropic", "openai-chat", "openai-responses" or a Dialect object`,
  );
}

/** The wire format of these messages. Plain texts are the same in all: then it is `openai-chat`. Throws INVALID_HISTORY. */
export function detectDialect(messages: readonly unknown[]): Dialect {
  return identify(messages).dialect;
}

/** The name of the built-in dialect that one of these messages alone can be of; undefined if there is none. Never throws. */
export function recognized(messages: readonly unknown[]): string | undefined {
  try {
    const { certain, dialect } = identify(messages);
    return certain ? dialect.name : undefined;
  } catch {
    return undefined;
  }
}

/** As `detectDialect` from the message at `start` on: whether one was found that only that format has, and which may be. */
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
