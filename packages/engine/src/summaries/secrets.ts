/** Not longer than the shortest that it stands for, so that a text never grows. */
const MASKED = '[masked]';

/**
 * Forms in which providers give out keys, and private keys as files: header, lines of base64 and footer, so that a header
 * alone hides nothing behind it. Every repetition is bounded: texts of any kind pass through here.
 */
const KEYS = new RegExp(
  [
    '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:(?:\\s|\\\\[nr])+[\\w+/=]{16,128}){0,400}(?:(?:\\s|\\\\[nr])+[\\w+/=]{1,15}(?=[\\s\\\\]))?(?:(?:\\s|\\\\[nr])*-----END [A-Z ]{0,30}PRIVATE KEY-----)?',
    '\\b(?:[spr]k[-_](?=[\\w.-]{0,60}\\d)|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|npm_|hf_|ya29\\.|SG\\.)[\\w.-]{16,300}',
    '\\b(?:AKIA|ASIA)[A-Z0-9]{16}\\b',
    '\\bAIza[\\w-]{30,60}',
    '\\beyJ[\\w-]{10,2000}\\.[\\w-]{10,4000}\\.[\\w-]{0,1000}',
  ].join('|'),
  'g',
);
/** A value behind a word that announces a secret: with letters and a digit and no path, or it is rather code or prose. */
const NAMED =
  /((?:(?:api|access|account|private)[_-]?key|secret|token|passw(?:or)?d|_pass|credential)[\w-]{0,30}\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?|\b(?:bearer|basic)\s{1,3})(?![\w.-]{0,80}\/[\w./-]{0,80}\.\w)(?=[^\s"'\\,;]{0,80}\d)(?=[^\s"'\\,;]{0,80}[a-z])[^\s"'\\,;(){}<>[\]]{8,400}/gi;
const IN_ADDRESS = /(\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s/:@]{1,60}:)[^\s/@]{3,200}@/gi;

/** The text with all that looks like a key, a token or a password masked. Pure and idempotent; no promise to find every one. */
export function maskSecrets(text: string): string {
  return text
    .replace(KEYS, MASKED)
    .replace(NAMED, (_, before: string) => before + MASKED)
    .replace(IN_ADDRESS, (_, before: string) => `${before}***@`);
}
