import { maskSecrets } from 'holdfast';

const HIDDEN = '[key]';

/** Filters bytes in chunks: holds back what may be the start of a key until more arrives. */
export interface ByteFilter {
  write(bytes: Uint8Array): Uint8Array;
  /** What was held back. */
  end(): Uint8Array;
}

/** Removes keys from text: known keys everywhere, and anything that looks like a key from messages. */
export interface Redactor {
  /** For tool results: only known keys, since files may contain what merely looks like one; no placeholder keys. */
  text(text: string): string;
  /** The same for bytes in chunks, wherever they are split. */
  bytes(): ByteFilter;
  /** For errors and log lines. */
  message(text: string): string;
}

/** A redactor for known keys; short ones are ignored. */
export function createRedactor(...keys: readonly (string | null | undefined)[]): Redactor {
  const known = keys.filter((key): key is string => typeof key === 'string' && key.length >= 6);
  // Longest first: a key that is part of another would leave the rest.
  known.sort((a, b) => b.length - a.length);
  const secret = known.filter(isSecret);
  return {
    text: (given) => without(secret, given),
    bytes: () => filterFor(secret),
    message: (given) => maskSecrets(without(known, given)),
  };
}

function filterFor(keys: readonly string[]): ByteFilter {
  // One character per byte, so that only keys change.
  const wanted = keys.map((key) => Buffer.from(key).toString('latin1'));
  const held = Math.max(0, ...wanted.map((key) => key.length - 1));
  let waiting = '';
  const take = (all: string, end: number) => {
    let [clean, at] = ['', 0];
    // From here on, a longer key may have started.
    for (const { 0: key, index } of wanted.length > 0 ? all.matchAll(patternOf(wanted)) : []) {
      if (index >= end) break;
      clean += all.slice(at, index) + HIDDEN;
      at = index + key.length;
    }
    waiting = all.slice(Math.max(at, end));
    return Buffer.from(clean + all.slice(at, Math.max(at, end)), 'latin1');
  };
  return {
    write(bytes) {
      const all = waiting + Buffer.from(bytes).toString('latin1');
      return take(all, Math.max(0, all.length - held));
    },
    end: () => take(waiting, waiting.length),
  };
}

function without(keys: readonly string[], text: string): string {
  return keys.length === 0 ? text : text.replace(patternOf(keys), HIDDEN);
}

function patternOf(keys: readonly string[]): RegExp {
  return new RegExp(keys.map((key) => key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}

/** Words in placeholder keys, for servers that require a key and ignore it. */
const WORDS =
  /sk|api|key|token|secret|test|dummy|fake|example|placeholder|change.?me|your|here|ollama|studio|llama|local|host|none|not?|needed|required|12345\d*|x+/gi;

/**
 * False for words and placeholders: hiding those would change sources that a tool reads. Real keys are long and varied,
 * with digits or letters of both cases. True if in doubt. Pure.
 */
function isSecret(key: string): boolean {
  if (key.length < 12 || new Set(key).size < 8) return false;
  const rest = key.replace(WORDS, '').replace(/[^a-z0-9]/gi, '');
  if (rest.length < 6) return false;
  return key.length >= 32 || /\d/.test(rest) || (/[a-z]/.test(rest) && /[A-Z]/.test(rest));
}
