import { maskPrivateKeys } from './private-keys.ts';
import { IN_ADDRESS, KEY_FORM, PLACES } from './secret-forms.ts';

const MASKED = '[masked]';
const STARS = '***';

/** What a secret is replaced with: itself, and what usually takes its place. */
export type SecretMask = (secret: string, usual: string) => string;

/**
 * The text with all that looks like a key, a token or a password masked, as usual or by `mask`. Pure; linear; never longer
 * and idempotent with the usual mask. No promise to find every one.
 */
export function maskSecrets(text: string, mask: SecretMask = (_, usual) => usual): string {
  const masked = (secret: string) => mask(secret, secret.length < MASKED.length ? starred(secret) : MASKED);
  const keys = maskPrivateKeys(text, masked).replace(KEY_FORM, (key) => masked(key));
  return PLACES.reduce(
    (rest, place) => rest.replace(place, (all, before: string) => before + masked(all.slice(before.length))),
    keys,
  ).replace(IN_ADDRESS, (_, before: string, password: string) => `${before}${mask(password, starred(password))}@`);
}

function starred(secret: string): string {
  return STARS.slice(0, secret.length);
}
