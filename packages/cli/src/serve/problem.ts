import { isHoldfastError, maskSecrets } from 'holdfast';

/** A field of a request, and what is wrong with it. */
export interface FieldProblem {
  /** `history[3].role`; a header or a parameter by its name. */
  readonly field: string;
  readonly detail: string;
}

/** What a request is refused with: RFC 9457, so that a program can tell what is wrong without reading words. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly FieldProblem[];
}

/** A request that is refused. */
export class RequestProblem extends Error {
  readonly body: ProblemBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string,
    more: { readonly errors?: readonly FieldProblem[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(detail);
    const { errors } = more;
    this.body = {
      type: 'about:blank',
      title: TITLES[status] ?? 'Error',
      status,
      detail,
      ...(errors ? { errors } : {}),
    };
    this.headers = more.headers ?? {};
  }
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const CODES: Readonly<Record<string, number>> = {
  UNKNOWN_SESSION: 404,
  STORE_CONFLICT: 409,
  BAD_STATE: 409,
  INVALID_HISTORY: 400,
  BAD_STORE: 503,
};

/** What is said of an error; nothing of what was not foreseen but that it happened. Pure. */
export function problemOf(error: unknown): RequestProblem {
  if (error instanceof RequestProblem) return error;
  if (isHoldfastError(error)) {
    const status = CODES[error.code] ?? 500;
    const field =
      error.code === 'UNKNOWN_SESSION' ? { errors: [{ field: 'session', detail: 'there is no such session' }] } : {};
    return new RequestProblem(status, maskSecrets(error.message), field);
  }
  // Nobody is there any more to be told.
  if (error instanceof Error && 'code' in error && error.code === 'ECONNRESET')
    return new RequestProblem(400, 'the request was cut off');
  return new RequestProblem(500, 'this was not foreseen; the log of the server says more');
}

/** True for what a client did wrong or was told to wait for, which is no matter for the log. Pure. */
export function isExpected(error: unknown): boolean {
  return error instanceof RequestProblem || problemOf(error).body.status < 500;
}
