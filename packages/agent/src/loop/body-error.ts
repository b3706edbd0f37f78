/** An error that a server reports in a body, whatever the status. Named like the clients' own. */
export class BodyAPIError extends Error {
  readonly error: unknown;
  readonly status?: number;
  readonly headers?: Headers;

  constructor(error: unknown, status?: number, headers?: Headers) {
    super(wordsOf(error));
    this.name = 'BodyAPIError';
    this.error = error;
    if (status !== undefined) this.status = status;
    if (headers) this.headers = headers;
  }
}

/**
 * The error in a body, in any shape that compatible servers use; undefined if there is none. `status`: the answer's, if it is
 * an error. With `isFailed`, any message counts. Pure.
 */
export function errorInBody(
  body: unknown,
  status?: number,
  headers?: Headers,
  isFailed = status !== undefined,
): BodyAPIError | undefined {
  const error = errorIn(Array.isArray(body) ? body[0] : body, isFailed);
  return error === undefined ? undefined : new BodyAPIError(error, status, headers);
}

function errorIn(body: unknown, isFailed: boolean): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  const { error, errors, base_resp, object, type, message, detail, msg, code } = body as Record<string, unknown>;
  if (error) return error;
  if (Array.isArray(errors) && errors.length > 0) return errors[0];
  const { status_code, status_msg } = (base_resp ?? {}) as Record<string, unknown>;
  if (status_code) return { code: status_code, message: status_msg };
  if (message && (isFailed || object === 'error' || type === 'error')) return body;
  const words = isFailed ? (detail ?? msg) : undefined;
  return words ? { message: words, ...(code === undefined ? {} : { code }) } : undefined;
}

function wordsOf(error: unknown): string {
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { readonly message?: unknown };
  const words = typeof error === 'string' ? error : message;
  return typeof words === 'string' && words !== ''
    ? words
    : (JSON.stringify(words ?? error) ?? 'an error without a message');
}
