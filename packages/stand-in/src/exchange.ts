import { isTooDeep, type Json } from './json.ts';
import { Refusal } from './refusal.ts';
import type { State } from './state.ts';

/** A request as it arrived; its body is not parsed yet. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  readonly body: string;
}

/** The parsed body. Throws a Refusal if it is not JSON or nested too deeply. */
export function jsonBody(arrived: Arrived): unknown {
  let value: unknown;
  try {
    value = JSON.parse(arrived.body);
  } catch {
    throw new Refusal(400, 'The request body is not valid JSON.');
  }
  if (isTooDeep(value)) throw new Refusal(400, 'The request body is nested too deeply.');
  return value;
}

/** Part of every body sent: no model wrote this. Clients ignore fields that they do not know. */
export const NO_MODEL = { stand_in: 'no model: a script answered' } as const;

/** An event of a stream: `data` is JSON text, or a mark such as `[DONE]`. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: string;
}

/** What is sent for a request that is not refused. */
export interface Outcome {
  readonly body: Json;
  /** The same answer as a stream, if the client asked for one. */
  readonly events?: readonly StreamEvent[];
  readonly usage?: Json;
  /** Set if the stream itself refuses the request. */
  readonly refusal?: Refusal;
  /** Called when the answer begins. */
  begin?(): void;
}

/** Serves a request. `limitOf`: refuse a prompt of so many tokens as longer than this limit. Throws a Refusal. */
export type Serve = (arrived: Arrived, state: State, limitOf?: LimitOf) => Outcome | Promise<Outcome>;
type LimitOf = (tokens: number) => number;
