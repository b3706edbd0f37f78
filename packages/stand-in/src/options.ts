import type { Fault, FaultKind } from './faults/fault.ts';
import type { FaultRate } from './faults/plan.ts';
import type { StandInModel } from './models.ts';
import type { Script } from './script.ts';

/** How a stand-in is set up; every option has a default. */
export interface StandInOptions {
  /** What answers in the place of a model; without it the last words are echoed. */
  readonly script?: Script;
  /** 0, a free one, if absent. It listens on 127.0.0.1 alone. */
  readonly port?: number;
  /** Models to add or to change, by id. */
  readonly models?: Readonly<Record<string, StandInModel>>;
  /** Faults for the first requests, in order; undefined lets one through. */
  readonly faults?: readonly (Fault | FaultKind | undefined)[];
  /** Faults by chance, once those are used up. */
  readonly fault_rate?: FaultRate;
  /** Milliseconds since 1970; `Date.now` if absent. Caches live by it. */
  readonly now?: () => number;
  /** `new` (default): thinking is bound on every model that binds it; `old`: where asked, and where always. */
  readonly account?: 'new' | 'old';
  /** The Responses API says inside of the stream that a prompt is too long, as the real one often does. */
  readonly overflow_in_stream?: boolean;
  /** What signatures are made with: the same secret knows them again after a restart. */
  readonly secret?: string;
  /** How many of the newest requests keep their body in the record: 100 if absent. */
  readonly keep_bodies?: number;
}
