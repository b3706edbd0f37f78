import { sessionTokens } from '@holdfast/models';
import { HoldfastError } from 'holdfast';
import type { CrewEvent, CrewResult } from '../events.ts';
import { namesOf } from './common-js.ts';

/** The part of prom-client's `Registry` that is used here. */
export interface MetricsRegistry {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** Prometheus metrics of crews. */
export interface CrewMetrics {
  readonly registry: MetricsRegistry;
  /** For `parts.onEvent` of a crew. */
  observe(event: CrewEvent): void;
  /** Counts a request that threw as failed. */
  threw(): void;
}

const SIZES = [1, 5, 10, 25, 50, 75, 100, 200, 500, 1_000];
const SECONDS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Metrics in their own registry, or in the one you pass. Names begin with `holdfast_crew_`. Throws BAD_CONFIG if prom-client is not installed. */
export async function createCrewMetrics(given?: MetricsRegistry): Promise<CrewMetrics> {
  const { Counter, Histogram, Registry } = await import('prom-client').then(namesOf, (cause: unknown) => {
    throw new HoldfastError('BAD_CONFIG', 'metrics need prom-client: run npm install prom-client', {}, cause);
  });
  const registry = (given ?? new Registry()) as InstanceType<typeof Registry>;
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter<T>({ name: `holdfast_crew_${name}`, help, labelNames, registers });
  const histogram = <T extends string>(name: string, help: string, buckets: number[], labelNames: readonly T[] = []) =>
    new Histogram<T>({ name: `holdfast_crew_${name}`, help, buckets, labelNames, registers });
  const own = {
    requests: counter('requests_total', 'Requests by how they ended', ['status']),
    seconds: histogram('request_seconds', 'Duration of a request in seconds', SECONDS),
    pruned: histogram('messages_pruned', 'Messages pruned in one request', [0, ...SIZES]),
    prunes: counter('prunes_total', 'Appends after which the history was pruned', ['place']),
    sizes: histogram('history_messages', 'Messages of the history before and after pruning', SIZES, ['when']),
    folds: counter('folds_total', 'Folds of the windows of agents', ['agent']),
    reminders: counter('reminders_total', 'Reminders of folded lines in the windows of agents', ['agent']),
    tokens: counter('tokens_total', 'Tokens sent and received', ['agent', 'kind']),
    saved: counter('tokens_saved_total', 'Tokens not sent because they had been pruned or folded (approximate)', [
      'agent',
    ]),
    cost: counter('cost_dollars_total', 'Dollars spent, where prices are known', ['agent']),
    everything: counter('cost_unbounded_dollars_total', 'Dollars it would have cost without pruning', ['agent']),
    near: counter('limit_near_total', 'Requests that came near a limit', ['what']),
    handOffs: counter('hand_offs_total', 'Hand-offs between agents'),
    rounds: counter('rounds_total', 'Turns of agents', ['agent']),
    retries: counter('request_retries_total', 'Retried requests to models', ['agent', 'category']),
  };
  const ended = ({ status, elapsedMs, pruned, handOffs, usage }: CrewResult) => {
    own.requests.inc({ status });
    own.seconds.observe(elapsedMs / 1_000);
    own.pruned.observe(pruned);
    own.handOffs.inc(handOffs);
    for (const [agent, { rounds, folds, tokens, tokensSaved, cost, everything }] of Object.entries(usage.agents)) {
      own.rounds.inc({ agent }, rounds);
      own.folds.inc({ agent }, folds);
      own.saved.inc({ agent }, tokensSaved);
      own.cost.inc({ agent }, cost ?? 0);
      own.everything.inc({ agent }, everything ?? 0);
      for (const [kind, count] of Object.entries(sessionTokens(tokens))) own.tokens.inc({ agent, kind }, count);
    }
  };
  return {
    registry,
    threw: () => own.requests.inc({ status: 'failed' }),
    observe(event) {
      if (event.type === 'result') ended(event.result);
      else if (event.type === 'limit-near') own.near.inc({ what: event.what });
      else if (event.type === 'reminder-add') own.reminders.inc({ agent: event.agent });
      else if (event.type === 'request-retry') own.retries.inc({ agent: event.agent, category: event.category });
      else if (event.type === 'history-append') {
        own.sizes.observe({ when: 'before' }, event.grown);
        own.sizes.observe({ when: 'after' }, event.after);
        if (event.after < event.grown) own.prunes.inc({ place: event.place });
      }
    },
  };
}
