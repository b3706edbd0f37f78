import { STATUS_CODES } from 'node:http';
import { isHoldfastError } from 'holdfast';
import type { Problem } from './types.ts';

/** A request that is refused, with what to do about it. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** The problem of a failed request. An unexpected error is not shown: it may contain private data. Pure. */
export function problemOf(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (!isHoldfastError(error)) return new ApiProblem(500, 'the request failed: see the output of the server');
  const { code, message } = error;
  if (code === 'UNKNOWN_SESSION' || code === 'UNKNOWN_HANDLE') return new ApiProblem(404, message);
  if (code === 'STORE_CONFLICT') return new ApiProblem(409, message);
  return new ApiProblem(code === 'BAD_CONFIG' ? 400 : 500, message);
}

/** The answer to a refused request. Pure. */
export function refusal({ status, message: detail, headers }: ApiProblem): Response {
  // Node has an older name.
  const title = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? 'Error');
  const body: Problem = { status, title, detail };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
  });
}
