import type { Fault } from './faults.ts';
import type { Json } from './json.ts';

/** The name of the rule broken, if it is one of `holdfast/rules`, and fields of the API's error. */
interface RefusalFields {
  /** `type` of the error; by default the one that goes with the status. */
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
  readonly rule?: string;
  /** What Anthropic adds to some errors. */
  readonly details?: Json;
}

/** Why a request is not answered: thrown by any check, turned into the API's own error at the edge. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly fields: RefusalFields;

  constructor(status: number, message: string, fields: RefusalFields = {}) {
    super(message);
    this.status = status;
    this.fields = fields;
  }
}

/** Whose form an error has. */
export type ErrorForm = 'anthropic' | 'gemini' | 'openai';

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

const GEMINI_STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** The body that the API would send for a refusal. */
export function errorBody({ status, message, fields }: Refusal, form: ErrorForm, requestId: string): Json {
  const { type, param = null, code = null, details } = fields;
  if (form === 'gemini') return { error: { code: status, message, status: GEMINI_STATUSES[status] ?? 'UNKNOWN' } };
  if (form === 'anthropic') {
    const error = { type: type ?? ANTHROPIC_TYPES[status] ?? 'api_error', message, ...(details && { details }) };
    return { type: 'error', error, request_id: requestId };
  }
  const usual = status >= 500 ? 'server_error' : 'invalid_request_error';
  return { error: { message, type: type ?? usual, param, code } };
}

type FaultTexts = Readonly<Record<'rate-limit' | 'overloaded' | 'server-error', () => Refusal>>;

const FAULTS: Readonly<Record<ErrorForm, FaultTexts>> = {
  anthropic: {
    'rate-limit': () => new Refusal(429, "This request would exceed your organization's rate limit."),
    overloaded: () => new Refusal(529, 'Overloaded'),
    'server-error': () => new Refusal(500, 'Internal server error'),
  },
  gemini: {
    'rate-limit': () => new Refusal(429, 'Resource has been exhausted (e.g. check quota).'),
    overloaded: () => new Refusal(503, 'The model is overloaded. Please try again later.'),
    'server-error': () => new Refusal(500, 'An internal error has occurred. Please retry.'),
  },
  openai: {
    'rate-limit': () =>
      new Refusal(429, 'Rate limit reached for requests.', { type: 'requests', code: 'rate_limit_exceeded' }),
    overloaded: () => new Refusal(503, 'The engine is currently overloaded, please try again later.'),
    'server-error': () => new Refusal(500, 'The server had an error while processing your request. Sorry about that!'),
  },
};

/** The error that a fault sends instead of an answer; undefined for faults of other kinds. */
export function faultRefusal({ kind }: Fault, form: ErrorForm): Refusal | undefined {
  if (kind === 'rate-limit' || kind === 'overloaded') return FAULTS[form][kind]();
  return kind === 'server-error' || kind === 'error-body' ? FAULTS[form]['server-error']() : undefined;
}
