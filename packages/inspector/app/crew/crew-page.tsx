import { useEffect, useMemo } from 'preact/hooks';
import type { CrewSession, CrewSetup, SessionDetail, SessionList, View } from '../../src/api/types.ts';
import { age, counted } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Problem } from '../parts/state.tsx';
import { Stats } from '../parts/stats.tsx';
import { costAndForgotten } from '../session/summary.ts';
import { useResource } from '../shell/resource.ts';
import { go, href } from '../shell/route.ts';
import { AgentCard } from './agent-card.tsx';
import { Composer } from './composer.tsx';
import { Graph } from './graph.tsx';
import type { Edge } from './layout.ts';
import { Spoke } from './spoke.tsx';
import { useTalk } from './use-talk.ts';
import { UtteranceList } from './utterance-list.tsx';

interface CrewPageProps {
  /** Absent if this server does not run the crew: then its conversations can only be read. */
  readonly crew: CrewSetup | undefined;
  readonly id: string | undefined;
}

/** A conversation with a crew: who is in it, who spoke when, and a place to speak. */
export function CrewPage({ crew, id }: CrewPageProps) {
  const conversation = useTalk(id, crew !== undefined);
  const { talk, status, error, isBusy } = conversation;
  const stored = useResource<CrewSession>(id === undefined ? undefined : `sessions/${encodeURIComponent(id)}/crew`);
  useEffect(() => {
    document.title = 'Crew · Holdfast';
  }, []);
  const { reload } = stored;
  // Who spoke changes with each request.
  useEffect(reload, [isBusy, reload]);
  const agents = stored.data?.agents ?? crew?.agents ?? [];
  const edges = useMemo(() => edgesOf(crew, stored.data), [crew, stored.data]);
  const on = new Set(Object.entries(talk.lanes).flatMap(([name, { isOn }]) => (isOn ? [name] : [])));
  return (
    <div class="crew">
      <section class="talk" aria-label="Conversation">
        <div class="row talk-head">
          <h1>Crew</h1>
          <span class={`tag ${tone(status)}`} role="status">
            {plain(status)}
          </span>
          {id !== undefined && (
            <a class="small" href={href(['s', id])}>
              What each call saw
            </a>
          )}
          <span class="end">
            {crew && (
              <button type="button" disabled={isBusy} onClick={() => go(href(['crew']))}>
                New conversation
              </button>
            )}
          </span>
        </div>
        <div class="talk-body">
          {error !== undefined && <Problem error={error} />}
          <UtteranceList conversation={conversation} crew={crew} />
        </div>
        {crew && <Composer conversation={conversation} />}
      </section>
      <aside class="side" aria-label="Agents">
        {id !== undefined && <Totals id={id} round={isBusy} />}
        <h2>{counted(agents.length, 'agent')}</h2>
        {agents.length > 0 && (
          <Graph
            names={agents.map(({ name }) => name)}
            entry={crew?.entry ?? stored.data?.entry}
            edges={edges}
            on={on}
          />
        )}
        <ul class="agents">
          {agents.map((agent) => (
            <AgentCard agent={agent} lane={talk.lanes[agent.name]} key={agent.name} />
          ))}
        </ul>
        <Spoke said={talk.said} />
        {crew && <Conversations id={id} round={isBusy} />}
      </aside>
    </div>
  );
}

/** What the whole conversation cost, and what its agents no longer see, also before this page was opened. */
function Totals({ id, round }: { readonly id: string; readonly round: boolean }) {
  const base = `sessions/${encodeURIComponent(id)}`;
  const [session, view] = [useResource<SessionDetail>(base), useResource<View>(`${base}/view`)];
  useEffect(() => {
    session.reload();
    view.reload();
  }, [round, session.reload, view.reload]);
  return session.data ? <Stats label="Summary" of={costAndForgotten(session.data, view.data)} /> : null;
}

function Conversations({ id, round }: { readonly id: string | undefined; readonly round: boolean }) {
  const { data, reload } = useResource<SessionList>('sessions?kind=crew&limit=20');
  // A request may have made a new one.
  useEffect(reload, [round, reload]);
  if (!data || data.sessions.length === 0) return null;
  return (
    <nav aria-label="Conversations">
      <h3>Conversations</h3>
      <ul class="talks">
        {data.sessions.map((row) => (
          <li key={row.id}>
            <a href={href(['crew', row.id])} aria-current={row.id === id ? 'page' : undefined}>
              {plain(row.title || row.id)}
            </a>
            <span class="small soft">{age(row.updated, Date.now())}</span>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Possible handovers of the setup, and those that happened. */
function edgesOf(crew: CrewSetup | undefined, session: CrewSession | undefined): Edge[] {
  const made = (session?.edges ?? []).filter(({ from }) => from !== 'user');
  const isMade = (from: string, to: string) => made.some((edge) => edge.from === from && edge.to === to);
  const possible = (crew?.agents ?? []).flatMap(({ name, to = [] }) =>
    to.map((other) => ({ from: name, to: other, count: 0 })),
  );
  return [...possible.filter(({ from, to }) => !isMade(from, to)), ...made];
}

function tone(status: string): string {
  if (status === 'complete' || status === 'paused') return 'good';
  return ['failed', 'refused', 'stopped'].includes(status) ? 'bad' : '';
}
