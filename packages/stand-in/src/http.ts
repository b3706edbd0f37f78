import { isTooDeep } from './json.ts';
import { Refusal } from './refusal.ts';

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
