import { maskSecrets } from 'holdfast';

const ANYWHERE =
  /TOKEN|SECRET|PASSW(?:OR)?D|PASSPHRASE|CREDENTIAL|API_?KEY|PRIVATE_?KEY|ACCESS_?KEY|SIGNING|BEARER|COOKIE/i;
const WORD = /(?:^|[_-])(?:KEYS?|PASS|PWD|PAT|AUTH|AUTHORIZATION|DSN|SALT|CERT|SESSION)(?:[_-]|$)/i;
// Look like keys by name, but are not.
const HARMLESS = /^(?:(?:OLD)?PWD|XDG_SESSION_(?:ID|TYPE|CLASS)|DESKTOP_SESSION)$/;

/** Removes variables that look like keys by name or value, except those named in `passed`. Pure. */
export function withoutKeys(
  env: Readonly<Record<string, string | undefined>>,
  passed: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && (passed.includes(name) || !isKey(name, value))) kept[name] = value;
  }
  return kept;
}

function isKey(name: string, value: string): boolean {
  if (maskSecrets(value) !== value) return true;
  return !HARMLESS.test(name) && (ANYWHERE.test(name) || WORD.test(name));
}

/** Replaces every value of these variables or headers in the text with `***`. Pure. */
export function withoutValues(text: string, secrets: Readonly<Record<string, string>>): string {
  const values = Object.values(secrets).flatMap((value) => [value, value.replace(/^(?:bearer|basic)\s+/i, '')]);
  return values
    .filter((value) => value.length >= 4)
    .sort((a, b) => b.length - a.length)
    .reduce((said, value) => said.split(value).join('***'), text);
}
