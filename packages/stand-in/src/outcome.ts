import type { Json } from './json.ts';
import type { Refusal } from './refusal.ts';

/** An event of a stream: `data` is JSON text, or a mark such as `[DONE]`. */
export interface StreamEvent {
  readonly event?: string;
  readonly data: string;
}

/** What is sent for a request that is not refused. */
export interface Outcome {
  readonly body: Json;
  /** The same answer as a stream; absent if none was asked for. */
  readonly events?: readonly StreamEvent[];
  readonly usage?: Json;
  /** Set where the stream itself says that the request is refused. */
  readonly refusal?: Refusal;
  /** Called once the answer begins. */
  begin?(): void;
}
