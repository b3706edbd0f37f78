import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createEntries } from './cache/entries.ts';
import type { Fault, FaultKind } from './faults/fault.ts';
import { createFaultPlan } from './faults/plan.ts';
import { STAND_IN_MODELS } from './models.ts';
import type { StandInOptions } from './options.ts';
import type { RecordedRequest } from './record.ts';
import { Refusal } from './refusal.ts';
import type { Script } from './script.ts';
import { echo } from './scripts/echo.ts';
import { createSeal } from './seal.ts';
import { serve } from './serve.ts';
import { Recent, type State } from './state.ts';

/** A server that runs. */
export interface StandIn {
  /** Where it listens: `baseURL` for Anthropic's client, for OpenAI's with `/v1` behind it. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order of their answers. */
  readonly requests: readonly RecordedRequest[];
  /** Lets the next requests for an answer fail, one after the other; undefined lets one through. */
  fail(...faults: readonly (Fault | FaultKind | undefined)[]): void;
  /** Ends all connections and the server. */
  close(): Promise<void>;
}

const KEPT = 10_000;

/** Starts a stand-in on 127.0.0.1. Rejects if the port is taken. */
export async function createStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const { port = 0, faults = [], fault_rate: rate, keep_bodies: bodies = 100 } = options;
  const state = createState(options);
  const plan = createFaultPlan(rate);
  plan.add(faults);
  const requests: RecordedRequest[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    // A client that left needs no answer.
    serve(request, response, { state, plan, requests, bodies }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    requests,
    fail: (...next) => plan.add(next),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function createState(options: StandInOptions): State {
  const { script = echo(), now = Date.now, account = 'new', secret = 'stand-in' } = options;
  let count = 0;
  return {
    models: new Map(Object.entries({ ...STAND_IN_MODELS, ...options.models })),
    script: saying(script),
    account,
    overflowInStream: options.overflow_in_stream ?? false,
    thinking: createSeal(secret, 'StandIn'),
    reasoning: createSeal(secret, 'gAAAAAStandIn'),
    cache: createEntries(),
    prefixes: new Recent(100 * KEPT),
    answered: new Recent(KEPT),
    responses: new Recent(KEPT),
    items: new Recent(KEPT),
    pairs: new Recent(KEPT),
    count: () => ++count,
    now,
  };
}

/** A script whose own errors are told from those of the server. */
function saying(script: Script): Script {
  return async (prompt) => {
    try {
      return await script(prompt);
    } catch (error) {
      throw new Refusal(500, `The script failed: ${error}`);
    }
  };
}
