import { Counter, Gauge, Registry } from 'prom-client';
import type { ProxyEvent } from '../events.ts';
import type { Accounts, Charge } from './accounts.ts';

/** Prometheus metrics of a proxy. Their names begin with `holdfast_proxy_`. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** Counts an answered request. */
  answered(api: string, charge: Charge | undefined): void;
  observe(event: ProxyEvent): void;
}

/** Metrics in a registry of their own. `active`: how many requests are running. */
export function createMetrics(accounts: Accounts, active: { readonly requests: number }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: readonly T[]) =>
    new Counter<T>({ name: `holdfast_proxy_${name}`, help, labelNames, registers });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `holdfast_proxy_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const requests = counter('requests_total', 'Answered requests of conversations', ['api']);
  const folds = counter('folds_total', 'Folds of conversations', ['api']);
  const tokens = counter('tokens_total', 'Tokens as the APIs reported them', ['api', 'kind']);
  const dollars = counter('cost_dollars_total', 'Dollars as proxied, and as direct requests would have cost', ['way']);
  const units = counter('cost_units_total', 'The same in tokens of input, for models without a known price', ['way']);
  const refusals = counter('refusals_total', 'Requests that the proxy answered with an error', ['status']);
  const errors = counter('upstream_errors_total', 'Requests that an API answered with an error', [
    'upstream',
    'status',
  ]);
  const failures = counter('upstream_failures_total', 'Requests that an upstream did not answer', ['upstream']);
  const retries = counter('thinking_retries_total', 'Requests sent again without thinking', ['api']);
  gauge('active_requests', 'Requests that are running', () => active.requests);
  gauge('conversations', 'Conversations in /holdfast/status', () => accounts.conversations().length);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    answered(api, charge) {
      requests.inc({ api });
      if (!charge) return;
      for (const [kind, count] of Object.entries(charge.tokens)) tokens.inc({ api, kind }, count);
      const costs = charge.currency === 'dollars' ? dollars : units;
      for (const [way, cost] of Object.entries(charge.costs)) costs.inc({ way }, Math.max(0, cost));
    },
    observe(event) {
      if (event.type === 'fold-end') folds.inc({ api: event.api });
      else if (event.type === 'answer-fail') errors.inc({ upstream: event.upstream, status: String(event.status) });
      else if (event.type === 'request-refuse') refusals.inc({ status: String(event.status) });
      else if (event.type === 'upstream-fail') {
        failures.inc({ upstream: event.upstream });
        refusals.inc({ status: '502' });
      } else if (event.type === 'thinking-retry') retries.inc({ api: event.api });
    },
  };
}
