import type { Violation as BareViolation } from '../dialect.ts';

/** A rule of the API that a request breaks; `message` is the API's own error text. */
export interface Violation extends BareViolation {
  readonly message: string;
}
