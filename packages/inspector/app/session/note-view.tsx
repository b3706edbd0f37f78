import { handleTarget } from 'holdfast';
import { Fragment } from 'preact';
import type { Note, NoteLine } from '../../src/api/types.ts';
import { counted, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';

interface NoteViewProps {
  readonly note: Note;
  /** Shows a message of the history. */
  readonly onMessage?: (index: number) => void;
}

/** The note, line by line, each with the messages that it speaks for. */
export function NoteView({ note, onMessage }: NoteViewProps) {
  const sections = new Map<string, NoteLine[]>();
  for (const line of note.lines) sections.set(line.section ?? '', [...(sections.get(line.section ?? '') ?? []), line]);
  if (note.lines.length === 0) return <pre>{plain(note.text)}</pre>;
  return (
    <div class="note-lines">
      {[...sections].map(([section, lines]) => (
        <div key={section}>
          {section !== '' && <p class="small section">{plain(section)}</p>}
          <ul class={section === '' ? 'bare' : ''}>
            {lines.map((line, at) => (
              <li key={at}>
                <LineText line={line} onMessage={onMessage} />
              </li>
            ))}
          </ul>
        </div>
      ))}
      <p class="small soft">
        {counted(note.lines.length, 'line')}, {tokens(note.tokens)} tokens, written by fold {note.fold}
      </p>
    </div>
  );
}

interface LineTextProps {
  readonly line: NoteLine;
  readonly onMessage: ((index: number) => void) | undefined;
}

/** A line whose handles lead to their messages. */
function LineText({ line: { text, handles }, onMessage }: LineTextProps) {
  const shown = plain(text);
  if (!onMessage) return <>{shown}</>;
  const ends = [0, ...handles.map(({ handle, at }) => at + handle.length)];
  return (
    <>
      {handles.map(({ handle, at }, i) => (
        <Fragment key={at}>
          {shown.slice(ends[i], at)}
          <button
            type="button"
            class="plain handle"
            onClick={() => onMessage(handleTarget(handle)?.index ?? 0)}
            title="Show this message"
          >
            {handle}
          </button>
        </Fragment>
      ))}
      {shown.slice(ends.at(-1))}
    </>
  );
}
