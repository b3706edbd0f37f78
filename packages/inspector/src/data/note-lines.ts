import { handleTarget } from 'holdfast';
import type { NoteLine } from '../api/types.ts';

const HANDLE = /\bm\d{1,9}(?:~\d{1,9})?(?:\.\d{1,9}|-m\d{1,9}(?:~\d{1,9})?)?(?:@[\w-]{1,40})?(?![\w~])/g;
const QUOTATION = /"[^"]*"/g;
const HEADING = '## ';
/** Most positions that a line leads to; a run of messages counts as its first and last. */
const MOST = 50;

/**
 * The lines of a note, each with the messages it speaks for. Handles inside quotations are what somebody said and lead nowhere;
 * so do the lines of a summary. Pure.
 */
export function noteLines(note: string): NoteLine[] {
  const lines: NoteLine[] = [];
  let section: string | undefined;
  for (const text of note.split('\n')) {
    if (text.startsWith(HEADING)) section = text.slice(HEADING.length);
    else if (text !== '') lines.push({ text, ...(section === undefined ? {} : { section }), ...placesIn(text) });
  }
  return lines;
}

function placesIn(line: string): Pick<NoteLine, 'indexes' | 'handles'> {
  const own = line.startsWith('>') ? '' : line.replace(QUOTATION, ' ');
  const handles = (own.match(HANDLE) ?? []).slice(0, MOST);
  const indexes = handles.flatMap((handle) => {
    const { index, to } = handleTarget(handle) ?? {};
    return [index, to?.index].filter((place) => place !== undefined);
  });
  return { indexes: [...new Set(indexes)], handles };
}
