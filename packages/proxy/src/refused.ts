import type { Refusal } from './http/api-error.ts';

/** Thrown to answer a request with an error of the proxy's own. */
export class Refused extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, { cause });
    this.refusal = refusal;
  }
}
