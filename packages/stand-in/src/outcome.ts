import type { Json } from './json.ts';
import type { Refusal } from './refusal.ts';

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
