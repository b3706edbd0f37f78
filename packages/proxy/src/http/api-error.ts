import type { IncomingMessage, ServerResponse } from 'node:http';

/** Whose error format a client expects. */
export type Vendor = 'anthropic' | 'openai' | 'gemini';

/** Why the proxy answers a request itself. The text says what went wrong and what to do; it never quotes a header. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The upstream that did not answer, if that is why. */
  readonly upstream?: Vendor;
}

/** Thrown to answer a request with an error of the proxy's own. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, { cause });
    this.refusal = refusal;
  }
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  403: 'permission_error',
  404: 'not_found_error',
  426: 'invalid_request_error',
  502: 'api_error',
  503: 'overloaded_error',
};

const GEMINI_STATUSES: Readonly<Record<number, string>> = {
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
};

/** Answers with an error in the format of the vendor's own API, so that its clients understand it. */
export function refuse(request: IncomingMessage, response: ServerResponse, vendor: Vendor, refusal: Refusal): void {
  const { status, headers } = refusal;
  const message = `holdfast proxy: ${refusal.message}`;
  const text = JSON.stringify(errorBody(vendor, status, message));
  // A client that is still sending must get the answer, too.
  request.resume();
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(request.complete ? {} : { connection: 'close' }),
    ...headers,
  });
  response.end(text);
}

function errorBody(vendor: Vendor, status: number, message: string): object {
  if (vendor === 'anthropic')
    return { type: 'error', error: { type: ANTHROPIC_TYPES[status] ?? 'invalid_request_error', message } };
  if (vendor === 'gemini')
    return { error: { code: status, message, status: GEMINI_STATUSES[status] ?? 'INVALID_ARGUMENT' } };
  const type = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type, param: null, code: null } };
}
