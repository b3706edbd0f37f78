import {
  type Draft,
  insert,
  lineEnd,
  lineStart,
  moved,
  remove,
  textOf,
  vertical,
  wordEnd,
  wordStart,
} from './draft.ts';
import type { Stroke } from './keys.ts';

/** What a stroke made of a draft. `killed`: what it took out at once, to be put back by a yank. */
export interface Edited {
  readonly draft: Draft;
  readonly killed?: string;
}

/** The draft after a stroke; undefined if the stroke is no editing, or has nothing to do here. Pure. */
export function edit(draft: Draft, stroke: Stroke, killed = ''): Edited | undefined {
  const { cursor } = draft;
  const to = (place: number | undefined) => (place === undefined ? undefined : { draft: moved(draft, place) });
  const kill = (from: number, end: number): Edited => ({
    draft: remove(draft, from, end),
    killed: textOf({ atoms: draft.atoms.slice(Math.max(0, from), end) }) || killed,
  });
  switch (stroke.type) {
    case 'text':
      return { draft: insert(draft, stroke.text) };
    case 'newline':
      return { draft: insert(draft, '\n') };
    case 'yank':
      return { draft: insert(draft, killed) };
    case 'backspace':
      return { draft: remove(draft, cursor - 1, cursor) };
    case 'delete':
      return { draft: remove(draft, cursor, cursor + 1) };
    case 'left':
      return to(cursor - 1);
    case 'right':
      return to(cursor + 1);
    case 'home':
      return to(lineStart(draft));
    case 'end':
      return to(lineEnd(draft));
    case 'word-left':
      return to(wordStart(draft));
    case 'word-right':
      return to(wordEnd(draft));
    case 'up':
      return to(vertical(draft, -1));
    case 'down':
      return to(vertical(draft, 1));
    case 'kill-line':
      return kill(lineStart(draft), cursor);
    case 'kill-rest':
      return kill(cursor, lineEnd(draft) === cursor ? cursor + 1 : lineEnd(draft));
    case 'kill-word':
      return kill(wordStart(draft), cursor);
    case 'kill-word-right':
      return kill(cursor, wordEnd(draft));
    default:
      return undefined;
  }
}

/** Enter behind a backslash goes on in a new line: the draft for that; undefined if there is none. Pure. */
export function continued(draft: Draft): Draft | undefined {
  const { atoms, cursor } = draft;
  return atoms[cursor - 1] === '\\' && cursor === atoms.length
    ? insert(remove(draft, cursor - 1, cursor), '\n')
    : undefined;
}
