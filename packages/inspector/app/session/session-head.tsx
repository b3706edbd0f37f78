import type { SessionDetail, View } from '../../src/api/types.ts';
import { age, counted, money, percent, tokens, whole } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { type StatProps, Stats } from '../parts/stats.tsx';
import { href } from '../shell/route.ts';
import { countFates } from './rows.ts';

interface SessionHeadProps {
  readonly session: SessionDetail;
  readonly view: View | undefined;
}

/** What this is, whether it is healthy, what it cost and what was forgotten. */
export function SessionHead({ session, view }: SessionHeadProps) {
  const { id, title, kind, model, live, status, folder, updated, forkedFrom } = session;
  return (
    <div class="stack">
      <nav class="small" aria-label="Where you are">
        <a href={href(['sessions'])}>Sessions</a> <span class="soft">/ {plain(id)}</span>
      </nav>
      <div class="row">
        <h1>{plain(title || 'Untitled session')}</h1>
      </div>
      <p class="row small soft">
        {live && <span class="tag good live">live</span>}
        <span class="tag">{kind}</span>
        {status !== undefined && <span class={`tag ${status === 'failed' ? 'bad' : ''}`}>{plain(status)}</span>}
        {model !== undefined && <span>{plain(model)}</span>}
        <span>active {age(updated, Date.now())}</span>
        {folder !== undefined && <code>{plain(folder)}</code>}
        {forkedFrom !== undefined && <a href={href(['s', forkedFrom])}>forked from {plain(forkedFrom)}</a>}
        <a href={href(['s', id, 'compare'])}>Compare policies</a>
        {kind === 'crew' && <a href={href(['crew', id])}>Crew</a>}
      </p>
      <Stats label="Summary" of={[health(session), cost(session), forgotten(session, view), cache(session)]} />
    </div>
  );
}

function health({ viewTokens, budget, historyTokens, overWindow = 0, calls }: SessionDetail): StatProps {
  const name = 'Is it healthy?';
  if (viewTokens === undefined)
    return { name, value: calls === 0 ? 'No calls yet' : 'Unknown', more: 'no call says how much was sent' };
  const history = historyTokens === undefined ? '' : ` The whole history has ${tokens(historyTokens)}.`;
  const lost = overWindow > 0 ? ` It would not have fit the model's window in ${counted(overWindow, 'call')}.` : '';
  if (budget === undefined)
    return { name, value: `${tokens(viewTokens)} sent`, more: `No budget is known.${history}${lost}` };
  const isOver = viewTokens > budget;
  return {
    name,
    value: isOver ? 'Over budget' : 'Within budget',
    more: `${tokens(viewTokens)} of ${tokens(budget)} tokens, ${percent(viewTokens / budget)}.${history}${lost}`,
    tone: isOver ? 'bad' : 'good',
  };
}

function cost({ costs: { spent, everything }, calls }: SessionDetail): StatProps {
  const name = 'What did it cost?';
  if (spent === undefined) return { name, value: 'Unknown', more: 'the price of a call is not known' };
  if (everything === undefined) return { name, value: money(spent), more: counted(calls, 'call'), tone: 'view' };
  const saved = everything > 0 ? 1 - spent / everything : 0;
  const more = `instead of ${money(everything)} for sending everything${saved > 0 ? `: ${percent(saved)} less` : ''}`;
  return { name, value: money(spent), more, tone: saved >= 0 ? 'good' : 'bad' };
}

function forgotten({ messages, folds }: SessionDetail, view: View | undefined): StatProps {
  const name = 'What was forgotten?';
  if (!view) return { name, value: '…' };
  const { folded, shortened } = countFates(view);
  if (folded + shortened === 0)
    return { name, value: 'Nothing', more: `the model sees all ${counted(messages, 'message')}`, tone: 'good' };
  const parts = [...(folded > 0 && shortened > 0 ? [`${whole(shortened)} shortened`] : []), counted(folds, 'fold')];
  return {
    name,
    value: folded > 0 ? `${whole(folded)} folded` : `${whole(shortened)} shortened`,
    more: `of ${counted(messages, 'message')}; ${parts.join(', ')}. Each comes back by its handle.`,
    tone: 'fold',
  };
}

function cache({ totals: { input, cacheRead, cacheWrite }, calls }: SessionDetail): StatProps {
  const all = input + cacheRead + cacheWrite;
  const name = 'How much was cached?';
  if (all === 0) return { name, value: '–', more: counted(calls, 'call') };
  return {
    name,
    value: percent(cacheRead / all),
    more: `read ${tokens(cacheRead)}, written ${tokens(cacheWrite)}, in ${counted(calls, 'call')}`,
    tone: 'view',
  };
}
