import { randomBytes } from 'node:crypto';

/** A new token that nobody can guess. */
export function newToken(): string {
  return randomBytes(24).toString('base64url');
}

/** The address of the inspector. Browsers never send what follows the `#`, and the page removes it. Pure. */
export function inspectorAddress(url: string, token: string | undefined): string {
  return `${url}/inspect/${token === undefined ? '' : `#token=${token}`}`;
}
