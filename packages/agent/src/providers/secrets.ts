import { maskSecrets } from 'holdfast';

const HIDDEN = '[key]';

/** Takes keys out of texts: this one wherever it stands, and in messages whatever looks like one. */
export interface Redactor {
  /** For what tools give back: the key itself alone, since files may well hold what looks like one. */
  text(text: string): string;
  /** For errors and log lines. */
  message(text: string): string;
}

/** A redactor for the keys that are known; short ones are no keys. */
export function createRedactor(...keys: readonly (string | null | undefined)[]): Redactor {
  const known = keys.filter((key): key is string => typeof key === 'string' && key.length >= 6);
  const text = (given: string) => known.reduce((rest, key) => rest.replaceAll(key, HIDDEN), given);
  return { text, message: (given) => maskSecrets(text(given)) };
}
