import { handlesIn } from '../text/handles.ts';

/** A line of a note. */
export interface NoteLine {
  readonly text: string;
  /** The heading above it; absent before the first. A heading is not a line. */
  readonly section?: string;
  /** Names of the messages that the line speaks for, and where they are in its text. */
  readonly handles: readonly { readonly handle: string; readonly at: number }[];
}

const QUOTATION = /"[^"]*"/g;
const HEADING = '## ';

/** The lines of a note. Handles inside quotations and summaries are what somebody said, and are not listed. Pure. */
export function noteLines(note: string): NoteLine[] {
  const lines: NoteLine[] = [];
  let section: string | undefined;
  for (const text of note.split('\n')) {
    if (text.startsWith(HEADING)) section = text.slice(HEADING.length);
    else if (text !== '') {
      const handles = text.startsWith('>')
        ? []
        : handlesIn(text.replace(QUOTATION, (quotation) => ' '.repeat(quotation.length)));
      lines.push({ text, ...(section === undefined ? {} : { section }), handles });
    }
  }
  return lines;
}
