import { SCRIPT_HASH } from './page.ts';
import type { RequestProblem } from './problem.ts';

/** For every answer: nothing of it is framed, guessed at, or told to others. */
export const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; script-src ${SCRIPT_HASH}; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'`,
};

/** The answer to a request that is refused. */
export function refusal({ body, headers }: RequestProblem): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': 'application/problem+json', ...HEADERS, ...headers },
  });
}
