import type { NotePart } from '../quoting/quote.ts';

/** A note as data: headings with the lines below them. The first lines have no heading. */
export type WrittenNote = readonly {
  readonly heading?: string;
  /** The text of each line, then the places of its handles: where one starts, and its length. */
  readonly lines: readonly (readonly [text: string, ...places: number[]])[];
}[];

/** A line of a note. */
export interface NoteLine {
  readonly text: string;
  /** The heading above it; absent before the first. A heading is not a line. */
  readonly section?: string;
  /** Names of the messages that the line speaks for, and where they are in its text. */
  readonly handles: readonly { readonly handle: string; readonly at: number }[];
}

/** A line whose text has these handles, in this order, behind its first `from` characters. Pure. */
export function noteLine(text: NotePart, handles: readonly NotePart[] = [], from = 0): NoteLine {
  let next = from;
  const placed = handles.flatMap((handle) => {
    const at = text.indexOf(handle, next);
    if (handle === '' || at < 0) return [];
    next = at + handle.length;
    return [{ handle, at }];
  });
  return { text, handles: placed };
}

/** The lines as data. Pure. */
export function writtenNote(lines: readonly NoteLine[]): WrittenNote {
  const sections: { heading?: string; lines: [string, ...number[]][] }[] = [];
  for (const { section, text, handles } of lines) {
    const line: [string, ...number[]] = [text, ...handles.flatMap(({ handle, at }) => [at, handle.length])];
    const last = sections.at(-1);
    if (last?.heading === section && last) last.lines.push(line);
    else sections.push({ ...(section === undefined ? {} : { heading: section }), lines: [line] });
  }
  return sections;
}

/** The lines of a note, each with its heading. Pure. */
export function noteLines(note: WrittenNote): NoteLine[] {
  return note.flatMap(({ heading, lines }) =>
    lines.map(([text, ...places]): NoteLine => {
      const starts = places.filter((_, i) => i % 2 === 0);
      const handles = starts.map((at, i) => ({ handle: text.slice(at, at + (places[2 * i + 1] ?? 0)), at }));
      return { text, ...(heading === undefined ? {} : { section: heading }), handles };
    }),
  );
}

/** The text of a note. Pure. */
export function noteText(note: WrittenNote): string {
  return note
    .flatMap(({ heading, lines }) => [
      ...(heading === undefined ? [] : [`## ${heading}`]),
      ...lines.map(([text]) => text),
    ])
    .join('\n');
}
