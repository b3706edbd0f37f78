import type { Note, NoteLine } from '../../src/api/types.ts';
import { counted, tokens } from '../parts/format.ts';
import { plain } from '../parts/plain.ts';

interface NoteViewProps {
  readonly note: Note;
  /** Shows a message of the history. */
  readonly onMessage?: (index: number) => void;
}

const MOST_LINKS = 6;

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
          <ul>
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

/** A line whose handles lead to their messages; those that it speaks for without naming them follow. */
function LineText({ line: { text, indexes }, onMessage }: LineTextProps) {
  if (!onMessage) return <>{plain(text)}</>;
  const known = new Set(indexes);
  const link = (index: number, key: string) => (
    <button type="button" class="plain handle" key={key} onClick={() => onMessage(index)} title="Show this message">
      m{index}
    </button>
  );
  const named = new Set<number>();
  const pieces = plain(text)
    .split(/\b(m\d+)\b/)
    .map((piece, at) => {
      const index = at % 2 === 1 ? Number(piece.slice(1)) : -1;
      if (!known.has(index)) return piece;
      named.add(index);
      return link(index, `${at}`);
    });
  const others = indexes.filter((index) => !named.has(index));
  return (
    <>
      {pieces} {others.slice(0, MOST_LINKS).map((index) => link(index, `m${index}`))}
      {others.length > MOST_LINKS && <span class="small soft">and {others.length - MOST_LINKS} more</span>}
    </>
  );
}
