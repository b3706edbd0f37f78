import { eachEntry, type SessionInfo, type SessionStore } from '@holdfast/sessions';
import { createCache } from './bounded-cache.ts';

/** Says whether a run has ended: an ended one is not live, however new its last entry. */
export type HasEnded = (info: SessionInfo) => Promise<boolean>;

/** More than are ever written to within minutes. */
const MOST = 1_000;

/** Reads what a run's log says of its status, each entry once. */
export function createRunEnds(store: Pick<SessionStore, 'read'>): HasEnded {
  const known = createCache<Pick<SessionInfo, 'created' | 'last'> & { readonly status: string | undefined }>(MOST);
  return async ({ id, created, last }) => {
    const kept = known.get(id);
    const before = kept?.created === created ? kept : undefined;
    if (before?.last !== last) {
      const status = (await statusSince(store, id, before?.last ?? 0)) ?? before?.status;
      known.set(id, { created, last, status });
    }
    const { status = 'running' } = known.get(id) ?? {};
    return status !== 'running';
  };
}

/** The newest status in entries after this one. */
async function statusSince(store: Pick<SessionStore, 'read'>, session: string, after: number) {
  const options = { types: ['run'], reverse: true, limit: 20, onBroken: () => {} } as const;
  for await (const { seq, entry } of eachEntry(store, session, options)) {
    if (seq <= after) return undefined;
    if (entry.type === 'run' && typeof entry.change.status === 'string') return entry.change.status;
  }
  return undefined;
}
