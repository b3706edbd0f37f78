import type { SessionRow } from '../../src/api/types.ts';
import { age, counted, money, tokens, whole } from '../parts/format.ts';
import { Marked } from '../parts/marked.tsx';
import { plain } from '../parts/plain.ts';
import { StatusTag } from '../parts/status-tag.tsx';
import { href } from '../shell/route.ts';

/** A session in the list. `words`: what was searched for. */
export function SessionLink({ row, words }: { readonly row: SessionRow; readonly words: string }) {
  const { id, title, kind, model, updated, messages, folds, cost, live, status, hits = [], tokens: size } = row;
  const [hit] = hits;
  return (
    <article class="session" aria-label={plain(title || id)}>
      <a class="name" href={href(['s', id])}>
        {plain(title || 'Untitled session')}
      </a>
      <p class="about soft small">
        {live && <span class="tag good live">live</span>}
        <span class="tag">{kind}</span>
        <StatusTag of={status} />
        {model !== undefined && model !== kind && <span>{plain(model)}</span>}
        <span>{age(updated, Date.now())}</span>
        <span class="id">{plain(id)}</span>
      </p>
      <dl class="nums">
        <div>
          <dt>messages</dt>
          <dd>{whole(messages)}</dd>
        </div>
        <div>
          <dt title="How often old messages were taken out or shortened">folds</dt>
          <dd class={folds > 0 ? 'folds-some' : 'soft'}>{whole(folds)}</dd>
        </div>
        <div>
          <dt>tokens</dt>
          <dd>{size > 0 ? tokens(size) : '–'}</dd>
        </div>
        <div>
          <dt>cost</dt>
          <dd>{cost > 0 ? money(cost) : '–'}</dd>
        </div>
      </dl>
      {hit && (
        <p class="hit small">
          <a href={href(['s', id], { message: String(hit.index) })}>{plain(hit.handle)}</a>{' '}
          <Marked text={hit.snippet} words={words} />
          {hits.length > 1 && <span class="soft"> and {counted(hits.length - 1, 'more passage')}</span>}
        </p>
      )}
    </article>
  );
}
