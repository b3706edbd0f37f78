import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { View } from '../../src/api/types.ts';
import { counted } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';
import { Virtual } from '../parts/virtual.tsx';
import { moveFocus, useKeys } from '../shell/keys.ts';
import { Entry } from './entry.tsx';
import { NoteView } from './note-view.tsx';
import { linesByMessage, rowKey, rowsOf, runHolding, type ViewRow } from './rows.ts';
import type { Messages } from './use-messages.ts';

interface ColumnsProps {
  readonly view: View;
  readonly messages: Messages;
  /** A message to bring on show; a new object does it again. */
  readonly target: { readonly index: number } | undefined;
  readonly onMessage: (index: number) => void;
}

const HEIGHTS = { folded: 58, note: 320, message: 150 };

/** The headings of the two columns, which stay on the screen. */
export function Heads() {
  return (
    <div class="heads">
      <h2>History</h2>
      <h2>What the model sees</h2>
    </div>
  );
}

/** The history on the left, what the model sees on the right, row by row. */
export function Columns({ view, messages, target, onMessage }: ColumnsProps) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const hidden = target && runHolding(view, target.index);
  const isOpen = useMemo(() => (hidden === undefined ? open : new Set([...open, hidden])), [open, hidden]);
  const rows = useMemo(() => rowsOf(view, isOpen), [view, isOpen]);
  const lines = useMemo(() => linesByMessage(view.note), [view.note]);
  const goal = useMemo(() => {
    const row = target ? rows.findIndex((one) => one.type === 'message' && one.index === target.index) : -1;
    return row < 0 ? undefined : { row };
  }, [target]);
  const [noteGoal, setNoteGoal] = useState<{ readonly row: number } | undefined>();
  const showNote = () => setNoteGoal({ row: rows.findIndex(({ type }) => type === 'note') });
  useEffect(() => setNoteGoal(undefined), [target]);
  const toggle = (from: number) => {
    const next = new Set(isOpen);
    if (!next.delete(from)) next.add(from);
    setOpen(next);
    if (hidden === from) onMessage(-1);
  };
  const { need } = messages;
  const onRange = useCallback(
    (from: number, to: number) => {
      const shown = rows.slice(from, to).flatMap((row) => (row.type === 'message' ? [row.index] : []));
      need(stretches(shown));
    },
    [rows, need],
  );
  useKeys({ j: () => moveFocus('.entry', 1), k: () => moveFocus('.entry', -1) });
  const keyOf = useCallback((at: number) => rowKey(rows[at]), [rows]);
  const estimate = useCallback((at: number) => HEIGHTS[rows[at]?.type ?? 'message'], [rows]);
  const bodyOf = (row: ViewRow) => {
    if (row.type === 'note') return view.note && <NoteRow view={view} onMessage={onMessage} />;
    if (row.type === 'folded')
      return <FoldedRow row={row} toggle={() => toggle(row.from)} showNote={view.note && showNote} />;
    const message = messages.at(row.index);
    const error = messages.errorAt(row.index);
    if (!message) return <p class="soft">{error === undefined ? 'Loading…' : plain(error)}</p>;
    return (
      <Entry
        message={message}
        state={row.state}
        line={lines.get(row.index)}
        onWhole={() => messages.whole(row.index)}
      />
    );
  };
  return (
    <section class="columns" aria-label="History, and what the model sees">
      <Virtual
        label="Messages"
        count={rows.length}
        keyOf={keyOf}
        estimate={estimate}
        onRange={onRange}
        target={noteGoal ?? goal}
        render={(at) => {
          const row = rows[at];
          return (
            row && (
              <article
                class={`entry ${row.type}${row.type === 'message' ? ` ${row.state}` : ''}${row.type === 'message' && row.index === target?.index ? ' found' : ''}`}
                tabIndex={0}
                aria-posinset={at + 1}
                aria-setsize={rows.length}
                aria-label={labelOf(row)}
              >
                {bodyOf(row)}
              </article>
            )
          );
        }}
      />
    </section>
  );
}

interface FoldedRowProps {
  readonly row: Extract<ViewRow, { type: 'folded' }>;
  readonly toggle: () => void;
  readonly showNote: (() => void) | undefined;
}

function FoldedRow({ row, toggle, showNote }: FoldedRowProps) {
  const count = row.to - row.from + 1;
  return (
    <>
      <div class="said">
        <button type="button" class="plain" aria-expanded={row.isOpen} onClick={toggle}>
          {row.isOpen ? '▾' : '▸'} {counted(count, 'message')} folded
        </button>
      </div>
      <div class="seen gone small soft">
        <p>
          Not sent. <code>recall {plain(row.handle)}</code> brings {count === 1 ? 'it' : 'them'} back.{' '}
          {showNote && (
            <button type="button" class="plain small" onClick={showNote}>
              Read the note
            </button>
          )}
        </p>
      </div>
    </>
  );
}

function NoteRow({ view, onMessage }: { readonly view: View; readonly onMessage: (index: number) => void }) {
  return (
    <>
      <div class="said soft small">The note is not part of the history. It stands in for what was folded.</div>
      <div class="seen note">
        <p>
          <b>Note</b>
        </p>
        {view.note && <NoteView note={view.note} onMessage={onMessage} />}
      </div>
    </>
  );
}

function labelOf(row: ViewRow): string {
  if (row.type === 'note') return 'The note';
  if (row.type === 'folded') return `${counted(row.to - row.from + 1, 'message')} folded`;
  return `Message m${row.index}, ${row.state}`;
}

/** Neighbouring numbers, as first and last. */
function stretches(numbers: readonly number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && number - last[1] <= 1) last[1] = number;
    else found.push([number, number]);
  }
  return found;
}
