import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiProblem, get } from './api.ts';

/** What a request has brought so far. */
export interface Resource<T> {
  /** Kept while the same path is requested again. */
  readonly data?: T;
  readonly error?: string;
  readonly status?: number;
  readonly reload: () => void;
}

/** Gets JSON, again with each `reload` and new path. Nothing is asked without a path. */
export function useResource<T>(path: string | undefined): Resource<T> {
  const [state, setState] = useState<{ path?: string; data?: T; error?: string; status?: number }>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    if (path === undefined) return;
    const leave = new AbortController();
    get<T>(path, leave.signal).then(
      (data) => setState({ path, data }),
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
