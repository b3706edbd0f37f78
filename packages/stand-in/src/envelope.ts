import type { Fault } from './faults/fault.ts';
import type { Json } from './json.ts';
import { Refusal } from './refusal.ts';

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

/** A refusal as the body that the API would send. */
export function envelope(refusal: Refusal, anthropic: boolean, requestId: string): Json {
  const { status, message, type, param, code } = refusal;
  if (anthropic) {
    const error = { type: type ?? ANTHROPIC_TYPES[status] ?? 'api_error', message };
    return { type: 'error', error, request_id: requestId };
  }
  return { error: { message, type: type ?? openaiType(status), param, code } };
}

function openaiType(status: number): string {
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** What a fault answers instead of the API; undefined if it is none of that kind. */
export function faultRefusal(fault: Fault, anthropic: boolean): Refusal | undefined {
  switch (fault.kind) {
    case 'rate-limit':
      return anthropic
        ? new Refusal(429, "This request would exceed your organization's rate limit.")
        : new Refusal(429, 'Rate limit reached for requests.', { type: 'requests', code: 'rate_limit_exceeded' });
    case 'overloaded':
      return anthropic
        ? new Refusal(529, 'Overloaded')
        : new Refusal(503, 'The engine is currently overloaded, please try again later.', { type: 'server_error' });
    case 'server-error':
    case 'error-body':
      return anthropic
        ? new Refusal(500, 'Internal server error')
        : new Refusal(500, 'The server had an error while processing your request. Sorry about that!');
    default:
      return undefined;
  }
}
