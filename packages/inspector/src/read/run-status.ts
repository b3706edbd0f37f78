import { eachEntry, type SessionInfo, type SessionStore } from '@holdfast/sessions';
import { createCache } from './bounded-cache.ts';

/** The status of a run, as its log says: `running`, `completed`, `failed` … */
export type RunStatus = (run: Pick<SessionInfo, 'id' | 'created' | 'last'>) => Promise<string>;

/** More than anybody looks at within minutes. */
const MOST = 1_000;

/** Reads what runs say of their status, each entry once. */
export function createRunStatus(store: Pick<SessionStore, 'read'>): RunStatus {
  const known = createCache<Pick<SessionInfo, 'created' | 'last'> & { readonly status: string }>(MOST);
  return async ({ id, created, last }) => {
    const kept = known.get(id);
    const before = kept?.created === created ? kept : undefined;
    if (before?.last === last) return before.status;
    const status = (await statusSince(store, id, before?.last ?? 0)) ?? before?.status ?? 'running';
    known.set(id, { created, last, status });
    return status;
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
