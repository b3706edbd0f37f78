import type { Failure } from './failure.ts';

/** How the APIs say it; a server between may give the code alone, or the words. */
const REFUSED = new RegExp(
  [
    'Invalid `(?:signature|data)` in `(?:redacted_)?thinking`',
    '`(?:redacted_)?thinking` blocks in the latest assistant message cannot be modified',
    'Expected `?thinking`? or `?redacted_thinking`?',
    'invalid_encrypted_content',
    'encrypted content .*could not be (?:verified|decrypted)',
    "Item with id 'rs_[^']*' not found",
    'Reasoning input items can only be provided to a reasoning',
  ].join('|'),
  'i',
);

/**
 * True if the API does not take thinking back that stands in the conversation: another account's, another model's, or one
 * whose signature does not hold. The same request without it may be taken. Pure.
 */
export function refusesThinking(error: unknown, { status = 400, message }: Failure): boolean {
  return (status === 400 || status === 404) && REFUSED.test(`${codeOf(error)} ${message}`);
}

function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return '';
  return 'code' in error ? error.code : 'error' in error ? codeOf(error.error) : '';
}
