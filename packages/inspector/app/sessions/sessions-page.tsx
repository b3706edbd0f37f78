import { useCallback, useEffect, useMemo, useRef } from 'preact/hooks';
import type { ServerInfo, SessionList, SessionRow, SessionSort } from '../../src/api/types.ts';
import { counted, money } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Empty, Loading, Problem } from '../parts/state.tsx';
import { Virtual } from '../parts/virtual.tsx';
import { moveFocus, useKeys } from '../shell/keys.ts';
import { useResource } from '../shell/resource.ts';
import { go, href } from '../shell/route.ts';
import { SessionLink } from './session-link.tsx';
import { useSessions } from './use-sessions.ts';

const SORTS: readonly (readonly [SessionSort, string])[] = [
  ['updated', 'last active'],
  ['created', 'newest'],
  ['cost', 'cost'],
  ['folds', 'folds'],
  ['messages', 'messages'],
  ['tokens', 'tokens'],
];
const COSTS = [
  ['', 'any'],
  ['0.1', '$0.10 and more'],
  ['1', '$1 and more'],
  ['10', '$10 and more'],
] as const;
const FOLDS = [
  ['', 'any'],
  ['1', '1 and more'],
  ['10', '10 and more'],
] as const;
const AGES = [
  ['', 'any time'],
  ['1', 'last 24 hours'],
  ['7', 'last 7 days'],
  ['30', 'last 30 days'],
] as const;
const FILTERS = ['query', 'kind', 'model', 'cost', 'folds', 'days'] as const;
const NAMES = [...FILTERS, 'sort'] as const;
const WAIT_MS = 200;

interface SessionsPageProps {
  readonly info: ServerInfo;
  readonly query: URLSearchParams;
}

/** All sessions of the store: searched, filtered, sorted; live ones first. */
export function SessionsPage({ info, query }: SessionsPageProps) {
  const search = new URLSearchParams(NAMES.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])));
  const list = useSessions(search.toString());
  // Counting all takes longer than showing the first.
  const { data: first } = useResource<SessionList>(`sessions?limit=1&facets=1&${search}`);
  const { rows, isLoading, error, hasMore, more } = list;
  useKeys({ j: () => moveFocus('.session .name', 1), k: () => moveFocus('.session .name', -1) });
  useEffect(() => {
    document.title = 'Sessions · Holdfast';
  }, []);
  const onRange = useCallback((_: number, to: number) => void (to >= rows.length - 20 && more()), [rows.length, more]);
  const keyOf = useCallback((index: number) => rows[index]?.id ?? String(index), [rows]);
  const estimate = useCallback((index: number) => (rows[index]?.hits?.length ? 104 : 76), [rows]);
  const isFiltered = FILTERS.some((name) => search.has(name));
  return (
    <div class="page narrow">
      <div class="row">
        <h1>Sessions</h1>
        <p class="soft" role="status">
          {first?.total === undefined
            ? ''
            : isFiltered
              ? counted(first.total, 'match', 'matches')
              : `${counted(first.total, 'session')}${info.store === undefined ? '' : ` in ${plain(info.store)}`}`}
          {first?.cost ? `, ${money(first.cost)} in all` : ''}
        </p>
      </div>
      <p class="soft">For each conversation: what its model was sent, what was folded away, and what it cost.</p>
      <Filters query={query} models={first?.models ?? seen(rows, 'model')} kinds={first?.kinds ?? seen(rows, 'kind')} />
      {rows.length > 0 && (
        <Virtual
          label="Sessions"
          count={rows.length}
          keyOf={keyOf}
          estimate={estimate}
          onRange={onRange}
          render={(index) => {
            const row = rows[index];
            return row && <SessionLink row={row} words={query.get('query') ?? ''} />;
          }}
        />
      )}
      {error !== undefined && <Problem error={error} retry={list.reload} />}
      {isLoading && <Loading what={rows.length > 0 && hasMore ? 'more sessions' : 'sessions'} />}
      {!isLoading && error === undefined && rows.length === 0 && <Nothing info={info} isFiltered={isFiltered} />}
    </div>
  );
}

/** The kinds or models of the sessions that were loaded. */
function seen(rows: readonly SessionRow[], of: 'kind' | 'model'): string[] {
  return [...new Set(rows.flatMap((row) => row[of] ?? []))];
}

interface FiltersProps {
  readonly query: URLSearchParams;
  readonly models: readonly string[];
  readonly kinds: readonly string[];
}

function Filters({ query, models, kinds }: FiltersProps) {
  const field = useRef<HTMLInputElement>(null);
  const waiting = useRef(0);
  useKeys({
    '/': () => field.current?.focus(),
    Escape: () => (document.activeElement as HTMLElement | null)?.blur(),
  });
  // A search still waiting must not leave the page that a link has opened.
  useEffect(() => () => clearTimeout(waiting.current), []);
  const set = (name: (typeof NAMES)[number], value: string) => {
    const now = Object.fromEntries(NAMES.map((one) => [one, query.get(one) ?? '']));
    go(href(['sessions'], { ...now, [name]: value }), true);
  };
  const type = (value: string) => {
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => set('query', value), WAIT_MS) as unknown as number;
  };
  const choose = (name: (typeof NAMES)[number], label: string, options: readonly (readonly [string, string])[]) => (
    <label class="row small soft">
      {label}
      <select
        value={query.get(name) ?? options[0]?.[0] ?? ''}
        onChange={({ currentTarget }) => set(name, currentTarget.value)}
      >
        {options.map(([value, text]) => (
          <option value={value} key={value}>
            {plain(text)}
          </option>
        ))}
      </select>
    </label>
  );
  const all = useMemo(
    () => (names: readonly string[]) => [['', 'all'] as const, ...names.map((name) => [name, name] as const)],
    [],
  );
  return (
    <search class="row filters">
      <input
        class="grow"
        type="search"
        ref={field}
        aria-label="Search all sessions for words"
        placeholder="Search words in all sessions ( / )"
        defaultValue={query.get('query') ?? ''}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      {choose('kind', 'Kind', all(kinds))}
      {choose('model', 'Model', all(models))}
      {choose('cost', 'Cost', COSTS)}
      {choose('folds', 'Folds', FOLDS)}
      {choose('days', 'Active', AGES)}
      {choose('sort', 'Sort by', SORTS)}
    </search>
  );
}

function Nothing({ info, isFiltered }: { readonly info: ServerInfo; readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No session matches">
        <p>
          Try fewer words, or <a href={href(['sessions'])}>show all sessions</a>.
        </p>
      </Empty>
    );
  return (
    <Empty title="No sessions yet">
      <p>
        {info.noStore === undefined
          ? 'Every conversation that Holdfast keeps appears here, live and afterwards. Start one in a terminal:'
          : plain(info.noStore)}
      </p>
      {info.noStore === undefined && <pre class="output">{'holdfast chat\nholdfast run TASK.md\nholdfast proxy'}</pre>}
      {info.store !== undefined && <p class="small">This server reads {plain(info.store)}.</p>}
    </Empty>
  );
}
