import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ServerInfo, SessionDetail, View } from '../../src/api/types.ts';
import { plain } from '../parts/plain.ts';
import { Empty, Loading, Problem } from '../parts/state.tsx';
import { useEvents } from '../shell/events.ts';
import { useKeys } from '../shell/keys.ts';
import { useKept, useResource } from '../shell/resource.ts';
import { go, href } from '../shell/route.ts';
import { Columns, Heads } from './columns.tsx';
import { Gauge } from './gauge.tsx';
import { callsPath, NEW_CALLS } from './new-calls.ts';
import { Scrubber } from './scrubber.tsx';
import { Search } from './search.tsx';
import { SessionHead } from './session-head.tsx';
import { useMessages } from './use-messages.ts';

interface SessionPageProps {
  readonly id: string;
  readonly info: ServerInfo;
  readonly query: URLSearchParams;
}

const WAIT_MS = 120;

/** A session: what it is, the gauge over time, the calls, and the history next to what the model sees. */
export function SessionPage({ id, query }: SessionPageProps) {
  const base = `sessions/${encodeURIComponent(id)}`;
  const detail = useResource<SessionDetail>(base);
  const asked = Number(query.get('call')) || undefined;
  const view = useResource<View>(`${base}/view${asked === undefined ? '' : `?call=${asked}`}`);
  const shown = useKept(view.data);
  const messages = useMessages(id, asked, detail.data?.last ?? 0);
  // Messages come first: most people look for them.
  const isShown = messages.hasSome || shown?.messages === 0 || view.error !== undefined;
  const calls = useResource(useKept(isShown ? callsPath(base) : undefined), NEW_CALLS);
  const [target, setTarget] = useTarget(query);
  const [isGone, setGone] = useState(false);
  const reload = () => {
    for (const one of [detail, calls, view]) one.reload();
  };
  useEvents(id, {
    on: ({ type }) => {
      if (type === 'gone') setGone(true);
      if (type === 'session') reload();
    },
    back: reload,
  });
  useKeys({ u: () => go(href(['sessions'])) });
  useEffect(() => {
    if (detail.data) document.title = `${plain(detail.data.title || id)} · Holdfast`;
  }, [detail.data, id]);

  const last = calls.data?.total ?? 0;
  const [at, setAt] = useScrub(asked ?? last, (call) =>
    go(href(['s', id], call >= last ? {} : { call: String(call) }), true),
  );
  // The charts are drawn again only if something of them changed.
  const gauge = useMemo(
    () =>
      calls.data &&
      last > 0 && <Gauge id={id} isCrew={detail.data?.kind === 'crew'} list={calls.data} at={at} onCall={setAt} />,
    [id, detail.data?.kind, calls.data?.calls, calls.data?.folds, at, setAt],
  );
  if (isGone || (detail.status === 404 && !detail.data)) return <Gone />;
  if (detail.error !== undefined && !detail.data)
    return (
      <div class="page">
        <Problem error={detail.error} retry={detail.reload} />
      </div>
    );
  if (!detail.data)
    return (
      <div class="page">
        <Loading what="the session" />
      </div>
    );
  const onMessage = (index: number) => setTarget(index < 0 ? undefined : { index });
  return (
    <div class="page">
      <SessionHead session={detail.data} view={shown} />
      {calls.error !== undefined && <Problem error={calls.error} retry={calls.reload} />}
      {gauge ?? (detail.data.calls > 1 && calls.error === undefined && <div class="gauges waiting" />)}
      <Search id={id} onMessage={onMessage} />
      <div class="steady">
        {calls.data && last > 0 && <Scrubber session={detail.data} list={calls.data} at={at} onCall={setAt} />}
        {shown && shown.messages > 0 && <Heads />}
      </div>
      {view.error !== undefined && <Problem error={view.error} retry={view.reload} />}
      {shown?.unknown !== undefined && <p class="card">What the model sees is not known: {plain(shown.unknown)}</p>}
      {shown && shown.messages > 0 && (
        <Columns view={shown} messages={messages} target={target} onMessage={onMessage} />
      )}
      {shown?.messages === 0 && (
        <Empty title="Nothing was said yet">
          <p>Messages appear here as soon as they are written.</p>
        </Empty>
      )}
      {!shown && view.error === undefined && <Loading what="the history" />}
    </div>
  );
}

function Gone() {
  return (
    <div class="page">
      <Empty title="This session does not exist">
        <p>
          It may have been deleted, or belongs to another store. <a href={href(['sessions'])}>Show all sessions</a>
        </p>
      </Empty>
    </div>
  );
}

/** The message to bring on show, first the one that the address names. */
function useTarget(query: URLSearchParams) {
  const named = query.get('message');
  return useState<{ readonly index: number } | undefined>(named === null ? undefined : { index: Number(named) });
}

/** A position that moves immediately; everything else follows once it stops moving. */
function useScrub(given: number, settle: (at: number) => void): [number, (at: number) => void] {
  const [moved, setMoved] = useState<number | undefined>();
  const waiting = useRef(0);
  const latest = useRef(settle);
  latest.current = settle;
  useEffect(() => setMoved(undefined), [given]);
  const move = useCallback((at: number) => {
    setMoved(at);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => latest.current(at), WAIT_MS) as unknown as number;
  }, []);
  useEffect(() => () => clearTimeout(waiting.current), []);
  return [moved ?? given, move];
}
