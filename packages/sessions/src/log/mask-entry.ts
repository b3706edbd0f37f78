import { isDeepStrictEqual } from 'node:util';
import { maskSecrets } from 'holdfast';
import { dialectFor } from '../conversation/restore/dialect-for.ts';
import type { SessionEntry, WireMessage } from '../entry.ts';

/** Bytes and signatures: a change would break them, and they hold no keys. */
const SEALED = /^(?:signature|encrypted_content|data|thoughtSignature)$/;

/**
 * The entry, with anything that looks like a key masked. Pure and idempotent. Pass the masked messages to the window too: folds
 * rely on the history being what was stored.
 */
export function maskEntry(entry: SessionEntry): SessionEntry {
  return maskValue(entry, '') as SessionEntry;
}

/** Masks an entry; a message that changes loses its thinking, which is bound to its original text. Pure. */
export function maskForLog(entry: SessionEntry, dialect?: string): SessionEntry {
  const masked = maskEntry(entry);
  if (masked.type !== 'message' || isDeepStrictEqual(masked, entry)) return masked;
  const own = dialectFor(dialect, masked.message);
  if (!own.read(masked.message).thinking) return masked;
  const bare = own.withoutThinking(masked.message) ?? own.note('assistant', '(thinking)');
  return { type: 'message', message: bare as WireMessage };
}

/** A JSON value with anything that looks like a key masked. Pure and idempotent. */
export function maskJson(value: unknown): unknown {
  return maskValue(value, '');
}

function maskValue(value: unknown, key: string): unknown {
  if (typeof value === 'string') return SEALED.test(key) ? value : maskSecrets(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskValue(item, name)]));
}
