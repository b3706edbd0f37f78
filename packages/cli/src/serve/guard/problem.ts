import { STATUS_CODES } from 'node:http';
import { isHoldfastError, maskSecrets } from 'holdfast';

/** A field of a request, and its problem. */
export interface FieldProblem {
  /** `history[3].role`, or the name of a header or parameter. */
  readonly field: string;
  readonly detail: string;
}

/** The body of a refusal (RFC 9457), which programs can read. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly FieldProblem[];
}

/** Refuses a request. */
export class RequestProblem extends Error {
  readonly body: ProblemBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string,
    more: { readonly errors?: readonly FieldProblem[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    const { errors, headers = {} } = more;
    // Node has the older name.
    const title = status === 413 ? 'Content Too Large' : (STATUS_CODES[status] ?? 'Error');
    this.body = { type: 'about:blank', title, status, detail, ...(errors ? { errors } : {}) };
    this.headers = headers;
  }
}

/** A problem of one field. */
export function fieldProblem(status: number, text: string, field: string, detail: string = text): RequestProblem {
  return new RequestProblem(status, text, { errors: [{ field, detail }] });
}

const CODES: Readonly<Record<string, number>> = {
  STORE_CONFLICT: 409,
  BAD_STATE: 409,
  INVALID_HISTORY: 400,
  BAD_STORE: 503,
};

/** The problem for an error; unexpected errors are not disclosed. Pure. */
export function problemOf(error: unknown): RequestProblem {
  if (error instanceof RequestProblem) return error;
  if (isHoldfastError(error)) {
    const text = maskSecrets(error.message);
    if (error.code === 'UNKNOWN_SESSION') return fieldProblem(404, text, 'session', 'no such session');
    return new RequestProblem(CODES[error.code] ?? 500, text);
  }
  // The client is gone.
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
    return new RequestProblem(400, 'the connection was closed during the request');
  return new RequestProblem(500, 'unexpected error; see the server log');
}

/** True for errors of the client and requests to wait, which are not logged. Pure. */
export function isExpected(error: unknown): boolean {
  return error instanceof RequestProblem || problemOf(error).body.status < 500;
}

/** Headers of every answer, against framing, sniffing and leaking. */
export const HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'",
};

/** The response for a refused request. */
export function refusal({ body, headers }: RequestProblem): Response {
  return new Response(JSON.stringify(body), {
    status: body.status,
    headers: { 'content-type': 'application/problem+json', ...HEADERS, ...headers },
  });
}
