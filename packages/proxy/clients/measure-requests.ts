import { promptOf, tokensOf } from '@holdfast/models';
import type { RecordedRequest } from '@holdfast/stand-in';
import { partEdges } from './workspace.ts';

/** What an API saw of a run. */
export interface Measured {
  readonly requests: number;
  /** Calls whose result reached the API, whole. */
  readonly completed: number;
  /** The API's texts, one for each refused request. */
  readonly refused: readonly string[];
  /** In tokens. */
  readonly largest_prompt: number;
  /** Of all prompts, in uncached tokens: a cached one costs a tenth, writing one to the cache a quarter more. */
  readonly cost: number;
  /** How often the conversation was shorter than in the request before. */
  readonly folds: number;
  /** The client's own requests for a summary. */
  readonly compactions: number;
}

const READ = 0.1;
const WRITE = 1.25;
const WRITE_1H = 2;

/** Sums up the requests of one client. Pure. */
export function measureRequests(all: readonly RecordedRequest[], calls: number, compaction: RegExp): Measured {
  const requests = all.filter(({ method, api, path }) => method === 'POST' && api && !/count|input_tokens/.test(path));
  const numbers = Array.from({ length: calls }, (_, at) => at + 1);
  const missing = new Set(numbers);
  let cost = 0;
  let largest = 0;
  let folds = 0;
  let compactions = 0;
  let before = 0;
  for (const { body, usage } of requests) {
    const text = JSON.stringify(body);
    for (const n of missing) if (partEdges(n).every((edge) => text.includes(edge))) missing.delete(n);
    const compacting = compaction.test(lastMessage(body));
    if (compacting) compactions++;
    const used = tokensOf(usage);
    if (!used) continue;
    const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWrite1hTokens } = used;
    cost += inputTokens + READ * cacheReadTokens;
    cost += WRITE * (cacheWriteTokens - cacheWrite1hTokens) + WRITE_1H * cacheWrite1hTokens;
    largest = Math.max(largest, promptOf(used));
    if (compacting || !hasTools(body)) continue;
    if (promptOf(used) < before) folds++;
    before = promptOf(used);
  }
  const refused = requests.flatMap(({ verdict, error }) => (verdict === 'refused' ? [error?.message ?? '?'] : []));
  const completed = calls - missing.size;
  return { requests: requests.length, completed, refused, largest_prompt: largest, cost, folds, compactions };
}

/** Side requests (titles, summaries) have no tools. */
function hasTools(body: unknown): boolean {
  const { tools } = record(body);
  if (Array.isArray(tools) && tools.length > 0) return true;
  return messagesOf(body).some((message) => record(message).type === 'additional_tools');
}

/** The last message as JSON text, if it is from the user. */
function lastMessage(body: unknown): string {
  const last = record(messagesOf(body).at(-1));
  return last.role === 'user' ? JSON.stringify(last) : '';
}

function messagesOf(body: unknown): readonly unknown[] {
  const { messages, input, contents } = record(body);
  const list = messages ?? input ?? contents;
  return Array.isArray(list) ? list : [];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
