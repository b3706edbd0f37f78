import { maskSecrets } from 'holdfast';
import { savedKeys } from '../config/credentials.ts';

const HIDDEN = '[key]';

/** Removes keys from text: known keys everywhere, and anything that looks like a key from messages. */
export type Redactor = ReturnType<typeof createRedactor>;

/** A redactor for known keys; short ones are ignored. */
export function createRedactor(...keys: readonly (string | null | undefined)[]) {
  const known = keys.filter((key): key is string => typeof key === 'string' && key.length >= 6);
  // Longest first: a key that is part of another would leave the rest.
  known.sort((a, b) => b.length - a.length);
  const secret = known.filter(isSecret);
  return {
    /** For tool results: only known keys, since files may contain what merely looks like one; no placeholder keys. */
    text: (given: string) => without(secret, given),
    /** The same for bytes in chunks, wherever they are split. */
    bytes: () => filterFor(secret),
    /** For errors and log lines. */
    message: (given: string) => maskSecrets(without(known, given)),
  };
}

/** Filters bytes in chunks: holds back what may be the start of a key until more arrives. */
function filterFor(keys: readonly string[]) {
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
    write(bytes: Uint8Array): Uint8Array {
      const all = waiting + Buffer.from(bytes).toString('latin1');
      return take(all, Math.max(0, all.length - held));
    },
    /** What was held back. */
    end: (): Uint8Array => take(waiting, waiting.length),
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

/** The keys of every provider, by the usual names, and saved ones: a tool may show one that this provider does not use. */
export function knownKeys(): (string | undefined)[] {
  const names = Object.keys(process.env).filter((name) => /_(?:API_KEY|AUTH_TOKEN)$/.test(name));
  return [...names.map((name) => process.env[name]), ...savedKeys(process.env)];
}
