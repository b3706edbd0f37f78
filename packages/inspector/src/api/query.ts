import { ApiProblem } from './problem.ts';

/** A whole number in the query. Throws ApiProblem. */
export function countIn(query: URLSearchParams, name: string, otherwise: number, most: number, least = 0): number {
  const text = query.get(name);
  if (text === null || text === '') return otherwise;
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text);
  throw new ApiProblem(400, `${name} must be a whole number from ${least} to ${most}`);
}

/** A text in the query; undefined if it is absent or empty. Throws ApiProblem if it is too long. */
export function textIn(query: URLSearchParams, name: string, most = 500): string | undefined {
  const text = query.get(name)?.trim();
  if (text === undefined || text === '') return undefined;
  if (text.length > most) throw new ApiProblem(400, `${name} has more than ${most} characters`);
  return text;
}

/** An amount of dollars in the query; undefined if it is absent or 0. Throws ApiProblem. */
export function dollarsIn(query: URLSearchParams, name: string): number | undefined {
  const text = textIn(query, name);
  if (text === undefined) return undefined;
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text) || undefined;
  throw new ApiProblem(400, `${name} must be an amount of dollars such as 0.5`);
}

/** One of these words in the query; undefined if it is absent. Throws ApiProblem. */
export function wordIn<T extends string>(query: URLSearchParams, name: string, words: readonly T[]): T | undefined {
  const text = textIn(query, name);
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found === undefined) throw new ApiProblem(400, `${name} must be one of ${words.join(', ')}`);
  return found;
}

/** A number in the path, from 1. Throws ApiProblem. */
export function numberOf(text: string, what: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ApiProblem(400, `${what} must be a whole number from 1`);
}
