import { ANTHROPIC_FAILURE } from './anthropic/answer.ts';
import { countMessage, createMessage } from './anthropic/messages.ts';
import type { TooLong } from './faults/too-long.ts';
import type { Arrived } from './http.ts';
import { listModels, readModel } from './models-endpoint.ts';
import { createCompletion } from './openai-chat/completions.ts';
import { RESPONSES_FAILURE } from './openai-responses/events.ts';
import { countResponse, createResponse } from './openai-responses/responses.ts';
import type { Outcome, StreamEvent } from './outcome.ts';
import { Refusal } from './refusal.ts';
import type { Api } from './script.ts';
import type { State } from './state.ts';

/** How one path is served. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: RegExp;
  readonly api?: Api;
  /** It asks for an answer, so faults may strike; absent for all else. */
  readonly failure?: StreamEvent;
  serve(arrived: Arrived, state: State, tooLong?: TooLong): Outcome | Promise<Outcome>;
}

const CHAT_FAILURE: StreamEvent = {
  data: JSON.stringify({
    error: {
      message: 'The server had an error while processing your request.',
      type: 'server_error',
      param: null,
      code: null,
    },
  }),
};

/** All that is served. */
const ROUTES: readonly Route[] = [
  {
    method: 'POST',
    path: /^\/v1\/messages$/,
    api: 'anthropic',
    failure: ANTHROPIC_FAILURE,
    serve: createMessage,
  },
  { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, api: 'anthropic', serve: countMessage },
  {
    method: 'POST',
    path: /^\/v1\/chat\/completions$/,
    api: 'openai-chat',
    failure: CHAT_FAILURE,
    serve: createCompletion,
  },
  {
    method: 'POST',
    path: /^\/v1\/responses$/,
    api: 'openai-responses',
    failure: RESPONSES_FAILURE,
    serve: createResponse,
  },
  { method: 'POST', path: /^\/v1\/responses\/input_tokens$/, api: 'openai-responses', serve: countResponse },
  { method: 'GET', path: /^\/v1\/models$/, serve: listModels },
  { method: 'GET', path: /^\/v1\/models\/[^/]+$/, serve: readModel },
];

/** The route of a request, if there is one. */
export function findRoute({ method, path }: Arrived): Route | undefined {
  return ROUTES.find((route) => route.method === method && route.path.test(path));
}

/** True if the client speaks to the Messages API: only that has such a header. */
export function isAnthropic({ path, header }: Arrived): boolean {
  if (/^\/v1\/(?:chat|responses)(?:\/|$)/.test(path)) return false;
  return header('anthropic-version') !== undefined || path.startsWith('/v1/messages');
}

/** Checks that there is a key, whatever it is. Throws a Refusal in the API's words. */
export function checkKey(arrived: Arrived): void {
  const bearer = /^Bearer \S/.test(arrived.header('authorization') ?? '');
  if (bearer || (isAnthropic(arrived) && arrived.header('x-api-key'))) return;
  if (isAnthropic(arrived)) throw new Refusal(401, 'x-api-key header is required');
  const text =
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
  throw new Refusal(401, text);
}
