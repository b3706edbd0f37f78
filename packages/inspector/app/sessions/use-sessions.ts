import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SessionList, SessionRow } from '../../src/api/types.ts';
import { type ListFilters, passes } from '../../src/data/list-filters.ts';
import { get } from '../shell/api.ts';
import { useEvents } from '../shell/events.ts';

/** The sessions loaded so far. */
export interface Sessions {
  readonly rows: readonly SessionRow[];
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  readonly error?: string;
  readonly more: () => void;
  readonly reload: () => void;
}

const LIMIT = 100;

/** Sessions by search and filters, a page at a time; live ones are kept up to date. */
export function useSessions(search: string): Sessions {
  const [pages, setPages] = useState<readonly SessionList[]>([]);
  const [error, setError] = useState<string | undefined>();
  const [isLoading, setLoading] = useState(true);
  const asking = useRef<AbortController | undefined>(undefined);
  const load = useCallback(
    async (cursor?: string) => {
      asking.current?.abort();
      const leave = new AbortController();
      asking.current = leave;
      setLoading(true);
      setError(undefined);
      try {
        const rest = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page = await get<SessionList>(`sessions?limit=${LIMIT}&${search}${rest}`, leave.signal);
        setPages((before) => (cursor === undefined ? [page] : [...before, page]));
      } catch (problem) {
        if (leave.signal.aborted) return;
        setError((problem as Error).message);
      }
      if (asking.current === leave) setLoading(false);
    },
    [search],
  );
  useEffect(() => {
    setPages([]);
    void load();
    return () => asking.current?.abort();
  }, [load]);
  useEvents(undefined, {
    on: (event) => {
      if (event.type === 'sessions' && !search.includes('query='))
        setPages((before) => merged(before, event.sessions, filtersIn(new URLSearchParams(search))));
    },
    back: () => void load(),
  });
  const rows = useMemo(() => {
    const all = pages.flatMap(({ sessions }) => sessions);
    // In the server's order, in which a session that was just written to moves up.
    return /(?:query|sort)=/.test(search) ? all : all.sort((a, b) => b.updated - a.updated);
  }, [pages, search]);
  const next = pages.at(-1)?.next;
  const more = useCallback(() => {
    if (next !== undefined && !isLoading && error === undefined) void load(next);
  }, [next, isLoading, error, load]);
  return {
    rows,
    ...(error === undefined ? {} : { error }),
    isLoading,
    hasMore: next !== undefined,
    more,
    reload: () => void load(),
  };
}

/** The filters of an address. Pure. */
function filtersIn(query: URLSearchParams): ListFilters {
  const given = [...query].filter(([name, value]) => name !== 'query' && name !== 'sort' && value !== '');
  return Object.fromEntries(given.map(([name, value]) => [name, NUMBERS.has(name) ? Number(value) : value]));
}

const NUMBERS = new Set(['cost', 'folds', 'days']);

/** Pages with changed sessions replaced in place; new ones that pass the filters come first. Pure. */
function merged(
  pages: readonly SessionList[],
  changed: readonly SessionRow[],
  filters: ListFilters,
): readonly SessionList[] {
  const byId = new Map(changed.map((row) => [row.id, row]));
  const known = new Set(pages.flatMap(({ sessions }) => sessions.map(({ id }) => id)));
  const now = Date.now();
  const fresh = changed.filter((row) => !known.has(row.id) && passes(row, filters, now));
  return pages.map((page, at) => {
    const sessions = page.sessions.map((row) => byId.get(row.id) ?? row);
    return { ...page, sessions: at === 0 ? [...fresh, ...sessions] : sessions };
  });
}
