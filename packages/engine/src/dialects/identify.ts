import type { Dialect } from '../dialect.ts';
import { brokenRule, checkList } from '../errors.ts';

/** The name of the only one of these dialects that the messages can have; undefined if they could have several. Never throws. */
export function recognized(dialects: readonly Dialect[], messages: readonly unknown[]): string | undefined {
  try {
    const { certain, dialect } = identify(dialects, messages);
    return certain ? dialect.name : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The first of these dialects that the messages can only have, from the one at `start` on; the last possible one for plain
 * text, which all formats share. Also whether it is certain, and which ones are possible. Throws INVALID_HISTORY.
 */
export function identify(
  dialects: readonly Dialect[],
  messages: readonly unknown[],
  start = 0,
): { readonly dialect: Dialect; readonly certain: boolean; readonly possible: readonly string[] } {
  checkList(messages);
  const possible = new Set(dialects);
  for (let index = start; index < messages.length; index++) {
    for (const dialect of dialects) {
      const verdict = dialect.recognizes(messages[index]);
      if (verdict === true) return { dialect, certain: true, possible: [dialect.name] };
      if (verdict === false) possible.delete(dialect);
    }
    if (possible.size === 0) {
      const fix = `Pass messages of ${dialects.map(({ name }) => name).join(', ')}, or your own dialect.`;
      throw brokenRule({ index, rule: 'unknown-format', fix });
    }
  }
  const left = [...possible];
  return { dialect: left.at(-1) as Dialect, certain: false, possible: left.map(({ name }) => name) };
}
