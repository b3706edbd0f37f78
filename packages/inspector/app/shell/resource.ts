import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiProblem, get } from './api.ts';

/** What a request has brought so far. */
export interface Resource<T> {
  /** Kept while the same path is requested again. */
  readonly data?: T;
  readonly error?: string;
  readonly status?: number;
  readonly reload: () => void;
}

/** How to ask only for what is new, and to add it to what is known. */
export interface Updates<T> {
  readonly query: (known: T) => string;
  readonly merge: (known: T, more: T) => T;
}

/** Gets JSON, again with each `reload` and new path. Nothing is asked without a path. */
export function useResource<T>(path: string | undefined, updates?: Updates<T>): Resource<T> {
  const [state, setState] = useState<{ path?: string; data?: T; error?: string; status?: number }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return;
    const leave = new AbortController();
    const known = state.path === path ? state.data : undefined;
    get<T>(updates && known ? path + updates.query(known) : path, leave.signal).then(
      (data) => setState({ path, data: updates && known ? updates.merge(known, data) : data }),
      (error: Error) => {
        if (leave.signal.aborted) return;
        const status = error instanceof ApiProblem ? error.status : 0;
        setState((before) => ({ ...(before.path === path ? before : { path }), error: error.message, status }));
      },
    );
    return () => leave.abort();
  }, [path, round]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  return state.path === path ? { ...state, reload } : { reload };
}

/** The newest value, also while another is on its way. */
export function useKept<T>(value: T | undefined): T | undefined {
  const kept = useRef(value);
  if (value !== undefined) kept.current = value;
  return kept.current;
}
