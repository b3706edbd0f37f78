import { useState } from 'preact/hooks';
import type { FoldedTurn } from '../../src/api/types.ts';
import { counted, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Recalled } from '../session/search.tsx';
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
}

const FIRST = 40;

/** Turns with one verdict, each with its originals one click away. */
export function Turns({ id, title, about, turns }: TurnsProps) {
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
          <Turn id={id} turn={turn} key={turn.from} />
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

function Turn({ id, turn }: { readonly id: string; readonly turn: FoldedTurn }) {
  const [isOpen, setOpen] = useState(false);
  const { from, to, role, title, handle, why, tokens: size } = turn;
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
        {why !== undefined && <span class="tag">{WHY[why]}</span>}
        {handle !== undefined && (
          <button type="button" class="plain small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {isOpen ? 'Close' : 'Recall'}
          </button>
        )}
      </div>
      {isOpen && handle !== undefined && <Recalled id={id} handle={handle} />}
    </li>
  );
}
