import { useEffect, useRef, useState } from 'preact/hooks';
import type { CompareJob, CompareSide, ServerInfo, SessionDetail } from '../../src/api/types.ts';
import { percent } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Empty, Loading, Problem } from '../parts/state.tsx';
import { ask, get, post } from '../shell/api.ts';
import { useKeys } from '../shell/keys.ts';
import { useResource } from '../shell/resource.ts';
import { go, href } from '../shell/route.ts';
import { Comparison } from './comparison.tsx';

interface ComparePageProps {
  readonly id: string;
  readonly info: ServerInfo;
}

const AGAIN_MS = 400;

/** Two policies or budgets on this session, replayed by the server and shown side by side. */
export function ComparePage({ id, info }: ComparePageProps) {
  const session = useResource<SessionDetail>(`sessions/${encodeURIComponent(id)}`);
  const { job, error, start, stop } = useCompare(id);
  useKeys({ u: () => go(href(['s', id])) });
  useEffect(() => {
    document.title = 'Compare · Holdfast';
  }, []);
  const isBusy = job?.state === 'queued' || job?.state === 'running';
  return (
    <div class="page">
      <nav class="small" aria-label="Where you are">
        <a href={href(['sessions'])}>Sessions</a> <span class="soft">/</span>{' '}
        <a href={href(['s', id])}>{plain(session.data?.title || id)}</a> <span class="soft">/ compare</span>
      </nav>
      <h1>Compare two policies</h1>
      <p class="lead soft">
        What would this conversation have cost, and what would have been missing? The server replays it with each
        policy; no model is called.
      </p>
      {session.data ? (
        <Choose policies={info.policies} budget={startBudget(session.data)} isBusy={isBusy} start={start} />
      ) : session.error === undefined ? (
        <Loading what="the session" />
      ) : (
        <Problem error={session.error} retry={session.reload} />
      )}
      {isBusy && (
        <div class="card row" role="status">
          <progress value={job.progress} max={1} aria-label="Progress" />
          <span>
            {job.state === 'queued' ? 'Waiting for another comparison' : `Replaying, ${percent(job.progress)}`}
          </span>
          <button type="button" onClick={stop}>
            Stop
          </button>
        </div>
      )}
      {error !== undefined && <Problem error={error} />}
      {job?.state === 'failed' && <Problem error={job.detail ?? 'The comparison failed.'} />}
      {job?.state === 'done' && job.sides && <Comparison sides={job.sides} everything={job.everything} />}
      {session.data && !job && error === undefined && (
        <Empty title="Nothing compared yet">
          <p>Choose two policies, or one policy with two budgets, and press Compare.</p>
        </Empty>
      )}
    </div>
  );
}

function useCompare(id: string) {
  const [job, setJob] = useState<CompareJob | undefined>();
  const [error, setError] = useState<string | undefined>();
  const current = useRef('');
  const follow = async (name: string) => {
    while (current.current === name) {
      const next = await get<CompareJob>(`compare/${encodeURIComponent(name)}`);
      if (current.current !== name) return;
      setJob(next);
      if (next.state === 'done' || next.state === 'failed') return;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  };
  const start = async (sides: readonly [CompareSide, CompareSide]) => {
    setError(undefined);
    setJob(undefined);
    try {
      const made = await post<CompareJob>(`sessions/${encodeURIComponent(id)}/compare`, { sides });
      current.current = made.job;
      setJob(made);
      await follow(made.job);
    } catch (problem) {
      setError((problem as Error).message);
    }
  };
  const stop = () => {
    if (current.current)
      void ask(`compare/${encodeURIComponent(current.current)}`, { method: 'DELETE' }).catch(() => {});
    current.current = '';
    setJob(undefined);
  };
  // A comparison that nobody waits for is stopped.
  useEffect(() => stop, []);
  return { job, error, start, stop };
}

interface ChooseProps {
  readonly policies: readonly string[];
  readonly budget: number;
  readonly isBusy: boolean;
  readonly start: (sides: readonly [CompareSide, CompareSide]) => void;
}

function Choose({ policies, budget, isBusy, start }: ChooseProps) {
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const side = (at: number) => ({ policy: String(form.get(`policy${at}`)), budget: Number(form.get(`budget${at}`)) });
    start([side(0), side(1)]);
  };
  const field = (at: number, policy: string, size: number) => (
    <fieldset class="card row" key={at}>
      <legend class="small soft">{at === 0 ? 'First' : 'Second'}</legend>
      <label class="row">
        Policy
        <select name={`policy${at}`} defaultValue={policy}>
          {policies.map((name) => (
            <option value={name} selected={name === policy} key={name}>
              {plain(name)}
            </option>
          ))}
        </select>
      </label>
      <label class="row">
        Budget in tokens
        <input name={`budget${at}`} type="number" min={1_000} step={100} defaultValue={String(size)} required />
      </label>
    </fieldset>
  );
  const first = policies.includes('fold') ? 'fold' : (policies[0] ?? '');
  return (
    <form class="stack" onSubmit={send}>
      <div class="sides">
        {field(0, first, rounded(budget))}
        {field(1, first, rounded(budget / 2))}
      </div>
      <div>
        <button class="primary" type="submit" disabled={isBusy}>
          Compare
        </button>
      </div>
    </form>
  );
}

/** The session's own budget, or one that the conversation would have exceeded. */
function startBudget(session: SessionDetail | undefined): number {
  const { budget = 50_000, historyTokens = budget } = session ?? {};
  return Math.min(budget, historyTokens / 2);
}

function rounded(budget: number): number {
  return Math.max(1_000, Math.round(budget / 1_000) * 1_000);
}
