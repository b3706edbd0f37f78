import { maskSecrets } from 'holdfast';

const HIDDEN = '[key]';

/** Bytes on their way: what may be the beginning of a key is held back until more has come. */
export interface ByteFilter {
  write(bytes: Uint8Array): Uint8Array;
  /** What was held back. */
  end(): Uint8Array;
}

/** Takes keys out of texts: this one wherever it stands, and in messages whatever looks like one. */
export interface Redactor {
  /** For what tools give back: the key itself alone, since files may well hold what looks like one; no placeholder of it. */
  text(text: string): string;
  /** The same for bytes that come in pieces, wherever they are cut. */
  bytes(): ByteFilter;
  /** For errors and log lines. */
  message(text: string): string;
}

/** A redactor for the keys that are known; short ones are no keys. */
export function createRedactor(...keys: readonly (string | null | undefined)[]): Redactor {
  const known = keys.filter((key): key is string => typeof key === 'string' && key.length >= 6);
  // A key that is part of another would leave the rest of it.
  known.sort((a, b) => b.length - a.length);
  const secret = known.filter(isSecret);
  return {
    text: (given) => without(secret, given),
    bytes: () => filterFor(secret),
    message: (given) => maskSecrets(without(known, given)),
  };
}

function filterFor(keys: readonly string[]): ByteFilter {
  // One character a byte, so that nothing is changed but keys.
  const wanted = keys.map((key) => Buffer.from(key).toString('latin1'));
  const held = Math.max(0, ...wanted.map((key) => key.length - 1));
  let waiting = '';
  const take = (all: string, end: number) => {
    let [clean, at] = ['', 0];
    // From here on a longer key may have begun than the one that is there.
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

/** Words of what stands where a server wants some key and looks at none. */
const WORDS =
  /sk|api|key|token|secret|test|dummy|fake|example|placeholder|change.?me|your|here|ollama|studio|llama|local|host|none|not?|needed|required|12345\d*|x+/gi;

/**
 * True unless it is a word, or stands for a key: to hide such a one would change sources that a tool reads. Keys that
 * makers give out are long, of many characters, and have digits or letters of both cases. In doubt it is one. Pure.
 */
function isSecret(key: string): boolean {
  if (key.length < 12 || new Set(key).size < 8) return false;
  const rest = key.replace(WORDS, '').replace(/[^a-z0-9]/gi, '');
  if (rest.length < 6) return false;
  return key.length >= 32 || /\d/.test(rest) || (/[a-z]/.test(rest) && /[A-Z]/.test(rest));
}
