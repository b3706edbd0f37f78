/** Not longer than the shortest that it stands for, so that a text never grows. */
const MASKED = '[masked]';

/** Forms in which providers give out keys, and private keys as files. */
const KEYS = new RegExp(
  [
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)',
    '\\b(?:[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|ya29\\.|SG\\.)[\\w.-]{16,}',
    '\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b',
    '\\bAIza[\\w-]{30,}',
    '\\beyJ[\\w-]{10,}\\.[\\w-]{10,}\\.[\\w-]*',
  ].join('|'),
  'g',
);
/** A value behind a word that announces a secret: with a digit in it, or it is rather code or prose. */
const NAMED =
  /((?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|credential)[\w-]*["']?\s*[:=]\s*["']?|\bbearer\s+)(?=[^\s"',;]*\d)[^\s"',;(){}<>[\]]{8,}/gi;
const IN_ADDRESS = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:)[^\s/@]{3,}@/gi;

/** The text with all that looks like a key, a token or a password masked. Pure and idempotent; no promise to find every one. */
export function maskSecrets(text: string): string {
  return text
    .replace(KEYS, MASKED)
    .replace(NAMED, (_, before: string) => before + MASKED)
    .replace(IN_ADDRESS, (_, before: string) => `${before}***@`);
}
