import { postCompare, postTravel } from './change-routes.ts';
import type { Parts } from './parts.ts';
import { ApiProblem } from './problem.ts';
import { readBody } from './read-body.ts';
import {
  getCall,
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

type Get = (parts: Parts, id: string, query: URLSearchParams) => Promise<unknown>;
type GetOne = (parts: Parts, id: string, which: string, query: URLSearchParams) => Promise<unknown>;

/** `GET sessions/:id/…`; '' is the session itself. */
const OF_SESSION: ReadonlyMap<string, Get> = new Map<string, Get>([
  ['', getSession],
  ['calls', getCalls],
  ['messages', getMessages],
  ['view', getView],
  ['search', getSearch],
  ['crew', getCrew],
]);

/** `GET sessions/:id/…/:which`. */
const OF_PART: ReadonlyMap<string, GetOne> = new Map<string, GetOne>([
  ['calls', getCall],
  ['requests', getRequest],
  ['folds', getFold],
  ['recall', getRecall],
]);

/** Answers a request over the store. Throws ApiProblem, and what the store throws. */
export async function answer(parts: Parts, { method, path, query, request }: ApiRequest): Promise<Answer> {
  const [first, id, what = '', which, ...more] = path;
  if (more.length > 0) throw unknownPath();
  if (first === 'sessions' && id === undefined) return only(method, 'GET', () => getSessions(parts, query));
  if (first === 'compare' && id !== undefined && what === '') return comparison(parts, method, id);
  if (first !== 'sessions' || id === undefined) throw unknownPath();
  const one = which === undefined ? undefined : OF_PART.get(what);
  if (one && which !== undefined) return only(method, 'GET', () => one(parts, id, which, query));
  const all = which === undefined ? OF_SESSION.get(what) : undefined;
  if (all) return only(method, 'GET', () => all(parts, id, query));
  if (which !== undefined || !(what === 'compare' || what === 'undo' || what === 'redo')) throw unknownPath();
  if (what !== 'compare') return only(method, 'POST', () => postTravel(parts, id, what));
  return only(method, 'POST', async () => postCompare(parts, id, await readBody(request)), 202);
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
