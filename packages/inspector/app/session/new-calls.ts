import type { CallList } from '../../src/api/types.ts';
import type { Updates } from '../shell/resource.ts';

/** Where the calls of a session come from: no more than its charts can show. */
export const callsPath = (session: string) => `${session}/calls?most=600`;

/** A live session may have thousands of calls, so each event loads only those that are new. Pure. */
export const NEW_CALLS: Updates<CallList> = {
  query: ({ last }) => `&since=${last}`,
  merge: (known, more) => {
    if (more.since === 0) return more;
    // Without anything new, the chart stays as it is.
    if (more.calls.length + more.folds.length === 0) return { ...known, last: more.last };
    const folds = known.folds.slice(0, (more.folds[0]?.fold ?? Number.POSITIVE_INFINITY) - 1);
    return { ...more, calls: [...known.calls, ...more.calls], folds: [...folds, ...more.folds] };
  },
};
