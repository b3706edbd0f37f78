import { requestAt, type SessionStore } from '@holdfast/sessions';
import type { SentRequest } from '../api/types.ts';

/** A request as it was sent. Throws BAD_STORE if the log does not have it any more. */
export async function readRequest(
  store: SessionStore,
  session: string,
  seq: number,
): Promise<Omit<SentRequest, 'call' | 'n'>> {
  const { time, body, masked } = await requestAt(store, session, seq);
  return { seq, time, body, masked };
}
