import { createServer } from 'node:http';
import { createFaultPlan, type Fault, type FaultKind, type FaultRate } from './faults.ts';
import { STAND_IN_MODELS, type StandInModel } from './models.ts';
import { Refusal } from './refusal.ts';
import type { Script } from './script.ts';
import { echo } from './scripts/echo.ts';
import { createSeal } from './seal.ts';
import { serve } from './serve.ts';
import { createEntries, Recent, type RecordedRequest, type State } from './state.ts';

/** How to set up a stand-in; every option has a default. */
export interface StandInOptions {
  /** Answers instead of a model; by default it echoes the last message. */
  readonly script?: Script;
  /** Default 0: any free port. It listens on 127.0.0.1 only. */
  readonly port?: number;
  /** Models to add or change, by id. */
  readonly models?: Readonly<Record<string, StandInModel>>;
  /** Faults for the first requests, in order; undefined lets one through. */
  readonly faults?: readonly (Fault | FaultKind | undefined)[];
  /** Random faults, once those are used up. */
  readonly fault_rate?: FaultRate;
  /** The clock by which caches expire, in milliseconds since 1970; `Date.now` if absent. */
  readonly now?: () => number;
  /** `new` (default): every model that can bind thinking does; `old`: only if asked, or if the model always does. */
  readonly account?: 'new' | 'old';
  /** The Responses API reports a prompt that is too long inside the stream, as the real one often does. */
  readonly overflow_in_stream?: boolean;
  /** Signs thinking: with the same secret, signatures stay valid after a restart. */
  readonly secret?: string;
  /** How many of the newest recorded requests keep their body: 100 if absent. */
  readonly keep_bodies?: number;
}

/** A running server. */
export interface StandIn {
  /** Its address: `baseURL` for Anthropic's client; for OpenAI's, add `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Every request so far, in the order of the answers. */
  readonly requests: readonly RecordedRequest[];
  /** Makes the next requests for an answer fail, one fault each; undefined lets one through. */
  fail(...faults: readonly (Fault | FaultKind | undefined)[]): void;
  /** Closes all connections and stops the server. */
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
  const server = createServer((request, response) => {
    // If serving fails, the client has disconnected.
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
    script: blaming(script),
    account,
    overflowInStream: options.overflow_in_stream ?? false,
    thinking: createSeal(secret, 'StandIn'),
    reasoning: createSeal(secret, 'gAAAAAStandIn'),
    cache: createEntries(),
    prefixes: new Recent(100 * KEPT),
    answered: new Recent(KEPT),
    threads: new Recent(KEPT),
    responses: new Recent(KEPT),
    items: new Recent(KEPT),
    pairs: new Recent(KEPT),
    count: () => ++count,
    now,
  };
}

/** The script, with its errors marked as its own. */
function blaming(script: Script): Script {
  return async (prompt) => {
    try {
      return await script(prompt);
    } catch (error) {
      throw new Refusal(500, `The script failed: ${error}`);
    }
  };
}
