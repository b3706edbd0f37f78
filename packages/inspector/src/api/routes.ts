import { postCompare, postTravel } from './change-routes.ts';
import type { Parts } from './parts.ts';
import { ApiProblem } from './problem.ts';
import { readBody } from './read-body.ts';
import {
  getCalls,
  getCrew,
  getFold,
  getMessages,
  getRecall,
  getRequest,
  getSearch,
  getSession,
  getSessions,
  getView,
} from './session-routes.ts';

/** A request below `/inspect/api`. */
export interface ApiRequest {
  readonly method: string;
  /** The parts of its path after `/inspect/api`, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly request: Request;
}

/** What a route gives: the JSON of its answer, with a status other than 200 if it says so. */
export interface Answer {
  readonly status?: number;
  readonly json?: unknown;
}

/** Answers a request over the store. Throws ApiProblem, and what the store throws. */
export async function answer(parts: Parts, { method, path, query, request }: ApiRequest): Promise<Answer> {
  const [first, id, what, which, ...more] = path;
  if (more.length > 0) throw unknownPath();
  if (first === 'sessions' && id === undefined) return only(method, 'GET', () => getSessions(parts, query));
  if (first === 'compare' && id !== undefined && what === undefined) return comparison(parts, method, id);
  if (first !== 'sessions' || id === undefined) throw unknownPath();
  if (which === undefined) return await inSession(parts, method, id, what, query, request);
  if (what === 'requests') return only(method, 'GET', () => getRequest(parts, id, which, query));
  if (what === 'folds') return only(method, 'GET', () => getFold(parts, id, which));
  if (what === 'recall') return only(method, 'GET', () => getRecall(parts, id, which));
  throw unknownPath();
}

async function inSession(
  parts: Parts,
  method: string,
  id: string,
  what: string | undefined,
  query: URLSearchParams,
  request: Request,
): Promise<Answer> {
  const get = (work: () => Promise<unknown>) => only(method, 'GET', work);
  switch (what) {
    case undefined:
      return get(() => getSession(parts, id));
    case 'calls':
      return get(() => getCalls(parts, id, query));
    case 'messages':
      return get(() => getMessages(parts, id, query));
    case 'view':
      return get(() => getView(parts, id, query));
    case 'search':
      return get(() => getSearch(parts, id, query));
    case 'crew':
      return get(() => getCrew(parts, id));
    case 'compare':
      return only(method, 'POST', async () => postCompare(parts, id, await readBody(request)), 202);
    case 'undo':
    case 'redo':
      return only(method, 'POST', () => postTravel(parts, id, what));
    default:
      throw unknownPath();
  }
}

function comparison({ comparisons }: Parts, method: string, id: string): Answer {
  const job = comparisons.get(id);
  if (!job) throw new ApiProblem(404, 'there is no such comparison: it was stopped, or newer ones replaced it');
  if (method === 'GET' || method === 'HEAD') return { json: job };
  if (method !== 'DELETE') throw wrongMethod('GET, HEAD, DELETE');
  comparisons.remove(id);
  return { status: 204 };
}

async function only(
  method: string,
  wanted: 'GET' | 'POST',
  work: () => Promise<unknown>,
  status = 200,
): Promise<Answer> {
  const isRight = method === wanted || (wanted === 'GET' && method === 'HEAD');
  if (!isRight) throw wrongMethod(wanted === 'GET' ? 'GET, HEAD' : wanted);
  return { status, json: await work() };
}

function wrongMethod(allow: string): ApiProblem {
  return new ApiProblem(405, `this path accepts ${allow}`, { allow });
}

function unknownPath(): ApiProblem {
  return new ApiProblem(404, 'no such path: see docs/inspector-api.md');
}
