import { maskSecrets } from 'holdfast';

const HIDDEN = '[key]';

/** Takes keys out of texts: this one wherever it stands, and in messages whatever looks like one. */
export interface Redactor {
  /** For what tools give back: the key itself alone, since files may well hold what looks like one; no placeholder of it. */
  text(text: string): string;
  /** For errors and log lines. */
  message(text: string): string;
}

/** A redactor for the keys that are known; short ones are no keys. */
export function createRedactor(...keys: readonly (string | null | undefined)[]): Redactor {
  const known = keys.filter((key): key is string => typeof key === 'string' && key.length >= 6);
  const secret = known.filter(isSecret);
  return { text: (given) => without(secret, given), message: (given) => maskSecrets(without(known, given)) };
}

function without(keys: readonly string[], text: string): string {
  return keys.reduce((rest, key) => rest.replaceAll(key, HIDDEN), text);
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
