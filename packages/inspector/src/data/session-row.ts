import type { SessionInfo } from '@holdfast/sessions';
import type { Kind, SessionRow } from '../api/types.ts';

/** A session that was written to within this time counts as live. What a proxy serves is written to at each request. */
const LIVE_MS = 120_000;
const PROXIED_LIVE_MS = 30_000;

/** What writes a session. Pure. */
export function kindOf({ kind }: Pick<SessionInfo, 'kind'>): Kind {
  return kind ?? 'chat';
}

/** A session as lists show it. `isAtWork`: in this process. Pure. */
export function sessionRow(info: SessionInfo, now: number, isAtWork = false): SessionRow {
  const { id, title, created, updated, last, messages, folds, tokens, cost, provider, model } = info;
  return {
    id,
    title,
    kind: kindOf(info),
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    created,
    updated,
    last,
    messages,
    folds,
    tokens,
    cost,
    live: isAtWork || now - updated < (info.kind === 'proxy' ? PROXIED_LIVE_MS : LIVE_MS),
  };
}
