import { isText } from '../content/blocks.ts';
import type { Dialect } from '../dialect.ts';
import { isRecord } from '../json/record.ts';
import { definedKeys, hashValue, sameValue } from '../json/same-value.ts';
import { placeholder } from './read-turns.ts';

/** Identifies a message in a fold log, whatever its cache markers. Pure. */
export function hashMessage<M>(dialect: Dialect<M>, message: M): string {
  return hashValue(plainForm(dialect, message));
}

/** Identifies a turn in a fold log. Pure. */
export function hashTurn<M>(dialect: Dialect<M>, messages: readonly M[]): string {
  return hashValue(messages.map((message) => plainForm(dialect, message)));
}

/**
 * True if both say the same. Ignores cache markers, and whether a text is a string or a single block. A message restored from
 * a state may lack its thinking, or be undefined if it was nothing but thinking. Pure.
 */
export function isSame<M>(dialect: Dialect<M>, message: M, before: M | undefined): boolean {
  const plain = plainForm(dialect, message);
  if (before !== undefined && sameValue(plain, plainForm(dialect, before))) return true;
  if (dialect.thinking !== 'bound' || !isRecord(message) || !hasThinking(dialect, message)) return false;
  const bare = dialect.withoutThinking(message);
  if (before === undefined) return bare === undefined;
  return sameValue(plainForm(dialect, bare ?? placeholder(dialect)), plainForm(dialect, before));
}

/** False for an unreadable message: reading it later reports the error. */
function hasThinking<M>(dialect: Dialect<M>, message: M): boolean {
  try {
    return dialect.read(message).thinking;
  } catch {
    return false;
  }
}

function plainForm<M>(dialect: Dialect<M>, message: M): unknown {
  const plain: unknown = isRecord(message) ? dialect.withMarkers(message, 0) : message;
  if (!isRecord(plain) || !Array.isArray(plain.content) || plain.content.length !== 1) return plain;
  const [block] = plain.content;
  const isBare = isRecord(block) && isText(block) && definedKeys(block).length === 2;
  return isBare ? { ...plain, content: block.text } : plain;
}
