import { useEffect, useState } from 'preact/hooks';
import type { FoldDetail, ServerInfo, SessionDetail, TravelResult } from '../../src/api/types.ts';
import { counted, percent, sentence, tokens, whole } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Loading, Problem } from '../parts/state.tsx';
import { Stats } from '../parts/stats.tsx';
import { post } from '../shell/api.ts';
import { useKeys } from '../shell/keys.ts';
import { useKept, useResource } from '../shell/resource.ts';
import { go, href } from '../shell/route.ts';
import { NoteDiff } from './note-diff.tsx';
import { Turns } from './turns.tsx';

interface FoldPageProps {
  readonly id: string;
  readonly number: number;
  readonly info: ServerInfo;
}

const REASONS = {
  messages: 'there were too many messages',
  tokens: 'there were too many tokens',
  limits: 'the model said that the prompt was too long',
  strategy: 'its strategy expected to save money',
  compact: 'somebody asked for it',
} as const;

/** A fold: what went, what was shortened, what stayed and why, and how the note changed. */
export function FoldPage({ id, number, info }: FoldPageProps) {
  const base = `sessions/${encodeURIComponent(id)}`;
  const fold = useResource<FoldDetail>(`${base}/folds/${number}`);
  const session = useResource<SessionDetail>(base);
  // A key pressed while the first fold loads counts, too.
  const last = useKept(fold.data?.of) ?? Number.POSITIVE_INFINITY;
  const to = (next: number) => void (next >= 1 && next <= last && go(href(['s', id, 'fold', next])));
  useKeys({ u: () => go(href(['s', id])), ArrowLeft: () => to(number - 1), ArrowRight: () => to(number + 1) });
  useEffect(() => {
    document.title = `Fold ${number} · Holdfast`;
  }, [number]);
  const reload = () => {
    for (const one of [fold, session]) one.reload();
  };
  return (
    <div class="page">
      <nav class="small" aria-label="Where you are">
        <a href={href(['sessions'])}>Sessions</a> <span class="soft">/</span>{' '}
        <a href={href(['s', id])}>{plain(session.data?.title || id)}</a> <span class="soft">/ fold {number}</span>
      </nav>
      <div class="row">
        <h1>Fold {number}</h1>
        {fold.data?.undone && <span class="tag bad">undone</span>}
        <span class="row">
          <button type="button" aria-label="Previous fold" disabled={number <= 1} onClick={() => to(number - 1)}>
            ←
          </button>
          <button type="button" aria-label="Next fold" disabled={number >= last} onClick={() => to(number + 1)}>
            →
          </button>
        </span>
        {session.data && <Travel session={session.data} info={info} done={reload} />}
      </div>
      {fold.error !== undefined && <Problem error={fold.error} retry={fold.reload} />}
      {!fold.data && fold.error === undefined && <Loading what="the fold" />}
      {fold.data && <Receipt id={id} fold={fold.data} key={number} />}
    </div>
  );
}

function Receipt({ id, fold }: { readonly id: string; readonly fold: FoldDetail }) {
  const { before, after, turns, more = 0, noteBefore, noteAfter, reason, strategy, call, why } = fold;
  const of = (verdict: string) => turns.filter((turn) => turn.verdict === verdict);
  const saved = before.tokens > 0 ? 1 - after.tokens / before.tokens : 0;
  return (
    <>
      <p class="lead">
        {call === undefined ? 'The newest fold' : `Before call ${call}`}, because {REASONS[reason]}.
        {why === undefined ? '' : ` ${plain(sentence(why))}`} <span class="soft">Strategy: {plain(strategy)}.</span>
      </p>
      <Stats
        label="Receipt"
        of={[
          {
            name: 'Tokens in the view',
            value: `${tokens(before.tokens)} → ${tokens(after.tokens)}`,
            more: `${percent(saved)} smaller${fold.estimated ? ', estimated' : ''}${fold.reserve > 0 ? `; ${tokens(fold.reserve)} of it is the system prompt and tools` : ''}`,
            tone: 'view',
          },
          {
            name: 'Removed',
            value: counted(fold.dropped, 'turn'),
            more: 'the note stands in for them; each comes back by its handle',
            tone: 'fold',
          },
          {
            name: 'Shortened',
            value: counted(fold.masked, 'turn'),
            more: fold.masked === 0 ? 'all output stayed whole' : 'long output cut to an excerpt',
            tone: 'fold',
          },
          {
            name: 'Stayed',
            value: counted(fold.kept, 'turn'),
            more: `as they were; the view went from ${whole(before.messages)} to ${counted(after.messages, 'message')}`,
            tone: 'good',
          },
        ]}
      />
      {more > 0 && <p class="soft">{counted(more, 'more turn')} are not listed.</p>}
      <Turns
        id={id}
        title="What was removed"
        about="No longer in the view. Recall shows what the model gets back for the handle."
        turns={of('drop')}
      />
      <Turns
        id={id}
        title="What was shortened"
        about="Still in the view, with an excerpt of long output."
        call={call}
        turns={of('mask')}
      />
      <Turns
        id={id}
        title="What stayed, and why"
        about="In the view as it was, except for long output of turns marked as shortened."
        turns={of('keep')}
        call={call}
      />
      <section class="card stack">
        <h2>The note, before and after</h2>
        <NoteDiff before={noteBefore} after={noteAfter} />
      </section>
    </>
  );
}

interface TravelProps {
  readonly session: SessionDetail;
  readonly info: ServerInfo;
  readonly done: () => void;
}

/** Undo and redo, where the server says that they work; otherwise why not. */
function Travel({ session, info, done }: TravelProps) {
  const [error, setError] = useState<string | undefined>();
  const [isBusy, setBusy] = useState(false);
  const travel = async (what: 'undo' | 'redo') => {
    setBusy(true);
    setError(undefined);
    try {
      const { fold } = await post<TravelResult>(`sessions/${encodeURIComponent(session.id)}/${what}`, {});
      done();
      go(href(['s', session.id, 'fold', fold]));
    } catch (problem) {
      setError((problem as Error).message);
    }
    setBusy(false);
  };
  if (!info.canChange || (!session.canUndo && !session.canRedo))
    return (
      <span class="soft small">
        {plain(sentence(session.whyNot ?? 'undo works only in the process that has the session open'))}
      </span>
    );
  return (
    <span class="row">
      <button type="button" disabled={isBusy || !session.canUndo} onClick={() => travel('undo')}>
        Undo the newest fold
      </button>
      <button type="button" disabled={isBusy || !session.canRedo} onClick={() => travel('redo')}>
        Redo
      </button>
      {error !== undefined && (
        <span class="tag bad" role="alert">
          {plain(error)}
        </span>
      )}
    </span>
  );
}
