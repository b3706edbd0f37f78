import type { SessionDetail, View } from '../../src/api/types.ts';
import { age } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Stats } from '../parts/stats.tsx';
import { StatusTag } from '../parts/status-tag.tsx';
import { href } from '../shell/route.ts';
import { summaryOf } from './summary.ts';

interface SessionHeadProps {
  readonly session: SessionDetail;
  /** At the call on show. */
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
        <span class="row end">
          {kind === 'crew' && (
            <a class="action" href={href(['crew', id])}>
              Crew and conversation
            </a>
          )}
          <a class="action" href={href(['s', id, 'compare'])}>
            Compare policies
          </a>
        </span>
      </div>
      <p class="row small soft">
        {live && <span class="tag good live">live</span>}
        <span class="tag">{kind}</span>
        <StatusTag of={status} />
        {model !== undefined && model !== kind && <span>{plain(model)}</span>}
        <span>active {age(updated, Date.now())}</span>
        {folder !== undefined && <code>{plain(folder)}</code>}
        {forkedFrom !== undefined && <a href={href(['s', forkedFrom])}>forked from {plain(forkedFrom)}</a>}
      </p>
      <Stats label="Summary" of={summaryOf(session, view)} />
    </div>
  );
}
