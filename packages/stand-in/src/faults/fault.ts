/** What can go wrong on demand. `after`: how many events of a stream come through first. */
export type Fault =
  /** 429, with `retry-after` in seconds. */
  | { readonly kind: 'rate-limit'; readonly retry_after?: number }
  /** 529; OpenAI's APIs say 503. */
  | { readonly kind: 'overloaded' }
  /** 500. */
  | { readonly kind: 'server-error' }
  /** The connection is reset before any answer. */
  | { readonly kind: 'reset' }
  /** The connection is reset in the middle of the answer. */
  | { readonly kind: 'mid-reset'; readonly after?: number }
  /** The answer ends early, as if it were whole. */
  | { readonly kind: 'early-end'; readonly after?: number }
  /** `bytes` at a time, with a pause between them; before the first, so many comments that only keep a stream alive. */
  | { readonly kind: 'slow'; readonly bytes?: number; readonly pause_ms?: number; readonly keep_alives?: number }
  /** The body is no JSON; in a stream, one event is not. */
  | { readonly kind: 'malformed'; readonly after?: number }
  /** An error event in the middle of a stream; without a stream, 500. */
  | { readonly kind: 'error-event'; readonly after?: number }
  /** 200, and an error for a body. */
  | { readonly kind: 'error-body' }
  /** The event at place `at` comes again, behind those up to place `again`; without `at`, every event comes twice. */
  | { readonly kind: 'repeated-event'; readonly at?: number; readonly again?: number }
  /** An event that does not end, until the client leaves. */
  | { readonly kind: 'endless-event' }
  /** The prompt is said to be too long for `limit` tokens (nine tenths of it), although it fits. */
  | { readonly kind: 'too-long'; readonly limit?: number };

/** The name of a fault. */
export type FaultKind = Fault['kind'];

/** The kinds that come by chance: a client can get over each of them. */
export const FAULT_KINDS = [
  'rate-limit',
  'overloaded',
  'server-error',
  'reset',
  'mid-reset',
  'early-end',
  'slow',
  'malformed',
  'error-event',
  'error-body',
  'too-long',
] as const satisfies readonly FaultKind[];
