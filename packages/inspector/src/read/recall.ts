import type { PlacedMessage, SessionStore, WireMessage } from '@holdfast/sessions';
import { type Dialect, HoldfastError, handleTarget, messageHandle } from 'holdfast';
import type { Recall } from '../api/types.ts';
import { callNames } from '../data/message-parts.ts';
import { plainMessage } from './messages.ts';

/** Most messages of one recall. */
const MOST = 200;

/** The originals behind a handle of this session: `m41`, `m41.2`, `m12-m40` or `#12`. Throws UNKNOWN_HANDLE. */
export async function recallIn(
  store: SessionStore,
  session: string,
  dialect: Dialect<WireMessage>,
  given: string,
): Promise<Recall> {
  const handle = given.trim().replace(/^\[|\]$/g, '');
  const placed = await originals(store, session, handle);
  const names = callNames(
    dialect,
    placed.map(({ message }) => message),
  );
  const part = handleTarget(handle)?.part;
  const messages = placed.map((one) => {
    const message = plainMessage(dialect, one, { full: placed.length === 1, names });
    if (part === undefined) return message;
    return { ...message, parts: message.parts.filter(({ type }) => type === 'result').slice(part, part + 1) };
  });
  return { handle, messages };
}

async function originals(store: SessionStore, session: string, handle: string): Promise<PlacedMessage[]> {
  const unknown = (text: string) => new HoldfastError('UNKNOWN_HANDLE', text, { handle });
  const target = handleTarget(handle);
  if (!target) {
    const found = /^#\d{1,15}$/.test(handle) ? await store.message(session, handle) : undefined;
    if (found) return [found];
    throw unknown(`"${handle.slice(0, 100)}" is not a handle: expected one such as m41, m41.1 or m12-m40`);
  }
  const { index, revision, to = { index, revision } } = target;
  const placed: PlacedMessage[] = [];
  for (let at = index; at <= to.index && placed.length < MOST; at++) {
    const named = messageHandle(at, at === to.index ? to.revision : revision);
    // In a run, the part before a rewrite has no revision.
    const found = (await store.message(session, named)) ?? (await store.message(session, messageHandle(at)));
    if (!found) throw unknown(`the session has no message ${named}`);
    placed.push(found);
  }
  if (placed.length === 0) throw unknown(`"${handle}" runs backwards`);
  return placed;
}
