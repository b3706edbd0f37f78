import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { budgetProblem } from '@holdfast/models';
import type { SessionStore } from '@holdfast/sessions';
import { type ConversationHistoryConfig, HoldfastError } from 'holdfast';
import type { ProxyEvent } from './events.ts';
import { isLoopback } from './http/guard.ts';
import type { RecallWays } from './recall-sentence.ts';
import type { UpstreamAddresses } from './upstream/upstreams.ts';

/** How to set up a proxy; every option has a default. */
export interface ProxyOptions {
  /** Where requests go; the vendors' public APIs by default. Never taken from a request. */
  readonly upstreams?: UpstreamAddresses;
  /** Tokens of a prompt above which its conversation is folded. Default: `defaultBudget` of the request's model. */
  readonly max_tokens?: number;
  /** How to fold, by default with `prefer: 'price'`; `max_tokens`, `limit` and `reserve` are set for each request. */
  readonly conversation?: Omit<ConversationHistoryConfig, 'max_tokens' | 'limit' | 'reserve'>;
  /** Keeps conversations from their first fold on; by default in memory, until the proxy closes. The caller closes it. */
  readonly store?: SessionStore;
  /** At least 32 random bytes that never leave this machine: keys count by their HMAC with it. Keep it with the store. */
  readonly secret?: Uint8Array;
  /** How models recall what was folded. */
  readonly recall?: RecallWays;
  /** A loopback address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 4142; 0 is any free port. */
  readonly port?: number;
  /** Called with everything worth a line in a log. Must not throw. */
  readonly onEvent?: (event: ProxyEvent) => void;
  /** Serves `/mcp`. */
  readonly mcp?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Serves `/inspect` and everything below it, for browsers. It must check its callers itself. */
  readonly inspect?: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  readonly limits?: Partial<ProxyLimits>;
}

/** What the proxy spends at most on its clients. No measurement supports these defaults. */
export interface ProxyLimits {
  /** Bytes of a body that may be folded; a larger one is passed on unread. Default 64 MB, twice what Anthropic accepts. */
  readonly body_bytes: number;
  /**
   * Bytes of all such bodies, each until its answer begins; the next ones wait, and are refused with 503 after `room_ms`. One that
   * has begun may go beyond. In memory, a body takes up to four times its size. Default 512 MB.
   */
  readonly all_bodies_bytes: number;
  /** How long a body waits for the others. Default 30 seconds. */
  readonly room_ms: number;
  /**
   * Bytes of recent requests kept to read only what is new in the next; their parsed form takes about twice as many more.
   * Default 64 MB.
   */
  readonly recent_bytes: number;
  /** Requests at a time; more are refused with 503. Default 1000. */
  readonly requests: number;
  /**
   * How long a client may be silent between its requests, or while it sends one. Default 65 seconds, longer than clients keep
   * their connections.
   */
  readonly client_ms: number;
  /** How long an upstream may be silent. Default 30 minutes, because models may think for more than 10. */
  readonly idle_ms: number;
  /** How long a request waits for the store before it continues with the last view. Default 20 seconds. */
  readonly store_ms: number;
}

const LIMITS: ProxyLimits = {
  body_bytes: 64_000_000,
  all_bodies_bytes: 512_000_000,
  room_ms: 30_000,
  recent_bytes: 64_000_000,
  requests: 1_000,
  client_ms: 65_000,
  idle_ms: 1_800_000,
  store_ms: 20_000,
};

const SECRET_BYTES = 32;

/** The options with their defaults. Throws BAD_CONFIG for a host that other machines can reach, and for wrong values. */
export function readOptions(options: ProxyOptions) {
  const { host = '127.0.0.1', port = 4142, limits = {}, max_tokens, ...rest } = options;
  const { secret = randomBytes(SECRET_BYTES), onEvent = () => {}, recall = {}, conversation } = rest;
  if (secret.length < SECRET_BYTES)
    throw new HoldfastError('BAD_CONFIG', `invalid secret: expected at least ${SECRET_BYTES} random bytes`);
  if (!isLoopback(host))
    throw new HoldfastError(
      'BAD_CONFIG',
      `invalid host "${host}": the proxy listens only on this machine; use 127.0.0.1`,
    );
  const all: ProxyLimits = { ...LIMITS, ...limits };
  for (const [key, value] of Object.entries({ port, ...all }))
    if (!Number.isSafeInteger(value) || value < (key === 'port' ? 0 : 1))
      throw new HoldfastError('BAD_CONFIG', `invalid ${key} ${value}: expected a whole number`);
  const problem = max_tokens === undefined ? undefined : budgetProblem(max_tokens);
  if (problem) throw new HoldfastError('BAD_CONFIG', `invalid max_tokens ${max_tokens}: ${problem}`);
  return {
    ...rest,
    secret,
    onEvent,
    recall,
    conversation: { prefer: 'price' as const, ...conversation },
    host,
    port,
    max_tokens,
    limits: all,
  };
}
