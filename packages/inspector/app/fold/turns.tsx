import { useState } from 'preact/hooks';
import type { FoldedTurn, MessagePage } from '../../src/api/types.ts';
import { counted, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Loading, Problem } from '../parts/state.tsx';
import { MessageHead } from '../session/entry.tsx';
import { Parts } from '../session/parts.tsx';
import { Recalled } from '../session/search.tsx';
import { useResource } from '../shell/resource.ts';
import { href } from '../shell/route.ts';

const WHY = {
  pinned: 'pinned',
  first: 'the task at the start',
  since: 'said since the last fold',
  newest: 'among the newest',
  room: 'there was room for it',
} as const;

interface TurnsProps {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly turns: readonly FoldedTurn[];
  /** The first call after the fold, if there was one. */
  readonly call?: number | undefined;
}

const FIRST = 40;

/** Turns with one verdict, each with its originals one click away. */
export function Turns({ id, title, about, turns, call }: TurnsProps) {
  const [most, setMost] = useState(FIRST);
  if (turns.length === 0) return null;
  const before = turns.reduce((sum, turn) => sum + turn.tokens.before, 0);
  const after = turns.reduce((sum, turn) => sum + turn.tokens.after, 0);
  return (
    <section class="card stack">
      <div class="row">
        <h2>
          {title}: {turns.length}
        </h2>
        <span class="soft nums">
          {before === after ? `${tokens(before)} tokens` : `${tokens(before)} → ${tokens(after)} tokens`}
        </span>
      </div>
      <p class="soft small">{about}</p>
      <ul class="turns">
        {turns.slice(0, most).map((turn) => (
          <Turn id={id} turn={turn} call={call} key={turn.from} />
        ))}
      </ul>
      {turns.length > most && (
        <button type="button" class="plain" onClick={() => setMost(most + 200)}>
          Show {counted(turns.length - most, 'more turn')}
        </button>
      )}
    </section>
  );
}

interface TurnProps extends Pick<TurnsProps, 'id' | 'call'> {
  readonly turn: FoldedTurn;
}

function Turn({ id, turn, call }: TurnProps) {
  const [isOpen, setOpen] = useState(false);
  const { from, to, verdict, role, title, handle, why, tokens: size } = turn;
  // A turn that stayed has a handle if some of its output was cut.
  const isShortened = verdict !== 'drop' && handle !== undefined;
  return (
    <li>
      <div class="turn">
        <a class="handle" href={href(['s', id], { message: String(from) })}>
          m{from}
          {to > from ? `–m${to}` : ''}
        </a>
        <span class="words">
          <b class={`role ${role}`}>{role}</b> {plain(title)}
        </span>
        <span class="nums soft small">
          {size.before === size.after ? tokens(size.before) : `${tokens(size.before)} → ${tokens(size.after)}`}
        </span>
        {why !== undefined && (
          <span class="row small">
            {isShortened && <span class="tag fold">shortened</span>}
            <span class="tag">{WHY[why]}</span>
          </span>
        )}
        {handle !== undefined && (
          <button type="button" class="plain small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Close' : isShortened ? 'Before and after' : 'Recall'}
          </button>
        )}
      </div>
      {isOpen && handle !== undefined && !isShortened && <Recalled id={id} handle={handle} />}
      {isOpen && isShortened && <BeforeAndAfter id={id} turn={turn} call={call} />}
    </li>
  );
}

/** The messages of a turn, next to what the view has of them after the fold. */
function BeforeAndAfter({ id, turn: { from, to }, call }: TurnProps) {
  const count = to - from + 1;
  const query = new URLSearchParams({
    from: String(from),
    limit: String(Math.min(200, count)),
    ...(call === undefined ? {} : { call: String(call) }),
    // As many as the server gives in full.
    ...(count <= 10 ? { full: '1' } : {}),
  });
  const path = `sessions/${encodeURIComponent(id)}/messages?${query}`;
  const { data, error, reload } = useResource<MessagePage>(path);
  if (error !== undefined) return <Problem error={error} retry={reload} />;
  if (!data) return <Loading what="the messages" />;
  return (
    <div class="recalled stack">
      <div class="sides" aria-hidden="true">
        <h3>Before</h3>
        <h3>After: what the model sees</h3>
      </div>
      {data.messages.map((message) => (
        <div class="sides" key={message.index}>
          <section aria-label={`m${message.index} before`}>
            <MessageHead message={message} />
            <Parts parts={message.parts} />
          </section>
          <section aria-label={`m${message.index} after`}>
            <MessageHead message={message} />
            <Parts parts={message.view ?? message.parts} />
          </section>
        </div>
      ))}
    </div>
  );
}
