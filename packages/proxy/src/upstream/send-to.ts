import type { Vendor } from '../http/api-error.ts';
import type { Parts } from '../parts.ts';
import { Refused } from '../refused.ts';
import type { Answer, Outgoing } from './send.ts';

/** Sends a request to a vendor's upstream. Rejects with a Refused that says what to do if the upstream fails. */
export async function sendTo(
  vendor: Vendor,
  outgoing: Outgoing,
  { sender, upstreams, onEvent }: Pick<Parts, 'sender' | 'upstreams' | 'onEvent'>,
): Promise<Answer> {
  try {
    return await sender.send(upstreams[vendor], outgoing);
  } catch (error) {
    const { origin } = upstreams[vendor];
    const message = `${origin} did not answer (${reasonOf(error)}); check the upstream's address and your network, then retry`;
    if (!outgoing.signal.aborted) onEvent({ type: 'upstream-fail', upstream: vendor, message });
    throw new Refused({ status: 502, message }, error);
  }
}

function reasonOf(error: unknown): string {
  const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' ? code : String(name);
}
