import { ANTHROPIC_FAILURE } from './anthropic/answer.ts';
import { countMessage, createMessage } from './anthropic/messages.ts';
import type { Arrived, Serve, StreamEvent } from './exchange.ts';
import { GEMINI_FAILURE } from './gemini/answer.ts';
import { countContent, generateContent, readGeminiModel } from './gemini/generate.ts';
import { listModels, readModel } from './models.ts';
import { createCompletion } from './openai/chat.ts';
import { CHAT_FAILURE } from './openai/chat-answer.ts';
import { countResponse, createResponse } from './openai/responses.ts';
import { RESPONSES_FAILURE } from './openai/responses-answer.ts';
import { type ErrorForm, Refusal } from './refusal.ts';
import type { StandInApi } from './script.ts';

/** How one path is served. */
export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly path: RegExp;
  readonly api?: StandInApi;
  /** True if it needs no key. */
  readonly open?: boolean;
  /** The API's event for an error mid-stream; set for paths that answer, which are the only ones that faults apply to. */
  readonly failure?: StreamEvent;
  readonly serve: Serve;
}

/** Every path that is served; a new API is a folder and its lines here. */
const ROUTES: readonly Route[] = [
  answers('anthropic', /^\/v1\/messages$/, createMessage, ANTHROPIC_FAILURE),
  answers('anthropic', /^\/v1\/messages\/count_tokens$/, countMessage),
  answers('openai-chat', /^\/v1\/chat\/completions$/, createCompletion, CHAT_FAILURE),
  answers('openai-responses', /^\/v1\/responses$/, createResponse, RESPONSES_FAILURE),
  answers('openai-responses', /^\/v1\/responses\/input_tokens$/, countResponse),
  answers('gemini', /^\/v1beta\/models\/[^/:]+:(?:g|streamG)enerateContent$/, generateContent, GEMINI_FAILURE),
  answers('gemini', /^\/v1beta\/models\/[^/:]+:countTokens$/, countContent),
  { method: 'GET', path: /^\/v1beta\/models\/[^/:]+$/, serve: readGeminiModel },
  // Claude Code asks whether it can reach the API.
  { method: 'HEAD', path: /^\/api\/hello$/, open: true, serve: () => ({ body: {} }) },
  { method: 'GET', path: /^\/v1\/models$/, serve: listModels },
  { method: 'GET', path: /^\/v1\/models\/[^/]+$/, serve: readModel },
];

function answers(api: StandInApi, path: RegExp, serve: Serve, failure?: StreamEvent): Route {
  return { method: 'POST', path, api, serve, ...(failure && { failure }) };
}

/** The route of a request, if there is one. */
export function findRoute({ method, path }: Arrived): Route | undefined {
  return ROUTES.find((route) => route.method === method && route.path.test(path));
}

/** The API whose errors the client reads. Only the Messages API has a header of its own. */
export function errorForm({ path, header }: Arrived): ErrorForm {
  if (path.startsWith('/v1beta/')) return 'gemini';
  if (/^\/v1\/(?:chat|responses)(?:\/|$)/.test(path)) return 'openai';
  return header('anthropic-version') !== undefined || path.startsWith('/v1/messages') ? 'anthropic' : 'openai';
}

/** The header with each API's own key, besides `authorization`. */
const KEYS: Readonly<Partial<Record<ErrorForm, string>>> = { anthropic: 'x-api-key', gemini: 'x-goog-api-key' };

/** Checks that there is a key; any will do. Throws a Refusal with the API's text. */
export function checkKey(arrived: Arrived): void {
  const form = errorForm(arrived);
  const bearer = /^Bearer \S/.test(arrived.header('authorization') ?? '');
  const own = KEYS[form] !== undefined && arrived.header(KEYS[form]);
  if (bearer || own || (form === 'gemini' && arrived.query.get('key'))) return;
  if (form === 'anthropic') throw new Refusal(401, 'x-api-key header is required');
  const text =
    form === 'gemini'
      ? "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
      : "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).";
  throw new Refusal(form === 'gemini' ? 403 : 401, text);
}
