import { promptOf, tokensOf } from '@holdfast/models';
import type { RecordedRequest } from '@holdfast/stand-in';
import type { Client } from '../client.ts';
import { type Measured, measureRequests } from '../measure-requests.ts';
import { openRun, type Run, type RunOptions } from '../open-run.ts';
import { budgetProblems, endProblems, requestProblems } from '../run-problems.ts';
import type { ProcessEnd } from '../run-process.ts';
import { startProxy } from '../start-proxy.ts';

/** The outcome of a scenario: figures to print, and what is wrong, one line each. */
export interface Found {
  readonly figures: string;
  readonly problems: readonly string[];
}

/** Something that people do with a client, through the proxy. */
export interface Scenario {
  readonly name: string;
  readonly clients: readonly Client[];
  /** Runs it. Leaves no process and no file, except the installed client. */
  run(client: Client): Promise<Found>;
}

/** Runs something behind a proxy with the client's budget. */
export async function throughProxy(
  client: Client,
  options: RunOptions,
  act: (run: Run) => Promise<Found>,
): Promise<Found> {
  const run = await openRun({ proxy: startProxy({ max_tokens: client.budget }), ...options });
  try {
    return await act(run);
  } finally {
    await run.close();
  }
}

/** What every scenario asks of its requests and of the clients that it started. `least`: the calls that must be completed. Pure. */
export function checked(
  client: Client,
  requests: readonly RecordedRequest[],
  calls: number,
  ends: readonly ProcessEnd[],
  least = calls,
): { readonly measured: Measured; readonly problems: readonly string[] } {
  const measured = measureRequests(requests, calls, client.compaction);
  const problems = [
    ...ends.flatMap(endProblems),
    ...requestProblems(measured, least),
    ...budgetProblems(measured, client),
  ];
  return { measured, problems };
}

/** The problem, if a condition does not hold. Pure. */
export function unless(holds: boolean, problem: string): readonly string[] {
  return holds ? [] : [problem];
}

/** Anthropic's models cache no prefix that is shorter than this, or half of it. */
const CACHED = 4_096;

/**
 * True if a request read what was in front of the conversation from the cache: at least half of the first prompt, unless that is
 * too short to be cached. Pure.
 */
export function readsHead(requests: readonly RecordedRequest[], at: number): boolean {
  const [first, later] = [tokensOf(requests[0]?.usage), tokensOf(requests[at]?.usage)];
  if (!first || !later) return false;
  const head = promptOf(first) / 2;
  return head < CACHED || later.cacheReadTokens >= head;
}

/** Folds that the proxy reported. Pure. */
export function foldsIn({ events }: Run): number {
  return events.filter(({ type }) => type === 'fold-end').length;
}
