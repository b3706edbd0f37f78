import { scanNames } from '../text/names.ts';
import { plainLines } from '../text/quote.ts';
import { FEW_LINES, type LineRange, RUN_GAP } from '../view/excerpt.ts';
import { LEAST_CHARS, lineNumber } from './lines.ts';

/** What the newest messages say of a file: names, exact lines, and line numbers. */
export interface Spoken {
  readonly names: ReadonlySet<string>;
  /** Lines that the newest edit replaced or wrote. */
  readonly lines: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
}

/** A line of a record, with its place there. */
export interface KnownLine {
  readonly text: string;
  readonly key: string;
  readonly record: number;
  readonly index: number;
  /** A newer record has it, too. */
  readonly repeated: boolean;
}

/** The chosen lines of each record, and their characters with those of the words around them. */
export interface Choice {
  readonly runs: ReadonlyMap<number, readonly LineRange[]>;
  readonly chars: number;
}

/** Lines after which nearness has halved. */
const HALF = 10;
const NAME_WEIGHT = 1;
const PLACE_WEIGHT = 3;
/** Lines that are further from everything spoken of do not come back. */
const LEAST = 0.4;

/** Invisible characters could not come back word for word without hiding something from the reader. */
function isPlain(line: string): boolean {
  return plainLines(line)[0] === line.trimEnd();
}

/**
 * The missing lines of all records that are nearest to what is spoken of, within this many characters, with `around` for the
 * words around each record. A line that several records have comes from the newest, which is the first. Pure.
 */
export function chooseLines(
  records: readonly (readonly KnownLine[])[],
  spoken: Spoken,
  isMissing: (key: string) => boolean,
  room: number,
  around: number,
): Choice {
  const near = new Map(records.flatMap((lines) => nearness(lines, spoken)));
  const wanted = [...near]
    .filter(([{ key, text, repeated }]) => key.length >= LEAST_CHARS && !repeated && isMissing(key) && isPlain(text))
    .sort(([, a], [, b]) => b - a);
  const chosen = new Set<KnownLine>();
  const keys = new Set<string>();
  const open = new Set<number>();
  let chars = 0;
  for (const [line] of wanted) {
    if (keys.has(line.key)) continue;
    const isOpen = open.has(line.record);
    const more = line.text.length + 1 + (isOpen ? 0 : around);
    // A line of another record may not fit where one of the same record still does.
    if (chars + more > room && isOpen) break;
    if (chars + more > room) continue;
    chars += more;
    chosen.add(line);
    keys.add(line.key);
    open.add(line.record);
  }
  const runs = new Map<number, readonly LineRange[]>();
  for (const lines of records) {
    const { made, filled } = runsOf(lines, chosen, room - chars);
    chars += filled;
    if (lines[0] && made.length > 0) runs.set(lines[0].record, made);
  }
  return { runs, chars };
}

/** The lines of a record that are near to a place that is spoken of, and how near. */
function nearness(lines: readonly KnownLine[], { names, lines: exact, numbers }: Spoken): [KnownLine, number][] {
  const places = new Map<string, Set<number>>();
  const meet = (what: string, i: number) => places.set(what, (places.get(what) ?? new Set()).add(i));
  const near = new Float64Array(lines.length);
  const spread = (at: number, weight: number) => {
    for (let i = Math.max(0, at - 8 * HALF); i < Math.min(lines.length, at + 8 * HALF); i++)
      near[i] = Math.max(near[i] as number, weight / (1 + Math.abs(i - at) / HALF));
  };
  lines.forEach(({ text, key, repeated }, i) => {
    // In an older record, a name says less than in the newer one that has the same line.
    if (!repeated)
      scanNames(text, (name) => {
        if (names.has(name)) meet(name, i);
      });
    if (exact.has(key)) meet(`\n${key}`, i);
    const number = numbers.size > 0 ? lineNumber(text) : undefined;
    if (number !== undefined && numbers.has(number)) spread(i, PLACE_WEIGHT);
  });
  for (const [what, found] of places)
    if (found.size <= FEW_LINES) for (const at of found) spread(at, what.startsWith('\n') ? PLACE_WEIGHT : NAME_WEIGHT);
  return lines.flatMap((line, i) => ((near[i] as number) >= LEAST ? [[line, near[i] as number]] : []));
}

/** The chosen lines of a record as runs, with short gaps between them filled while there is room. */
function runsOf(lines: readonly KnownLine[], chosen: ReadonlySet<KnownLine>, room: number) {
  const made: [number, number][] = [];
  let filled = 0;
  let gap: KnownLine[] = [];
  for (const line of lines) {
    if (!chosen.has(line)) {
      gap.push(line);
      continue;
    }
    const last = made.at(-1);
    const between = gap.reduce((sum, { text }) => sum + text.length + 1, 0);
    // No line between them was replaced since.
    const isWhole = last && line.index - last[1] === gap.length;
    const fits = gap.length <= RUN_GAP && filled + between <= room;
    if (isWhole && fits && gap.every(({ text, repeated }) => !repeated && isPlain(text))) {
      last[1] = line.index + 1;
      filled += between;
    } else made.push([line.index, line.index + 1]);
    gap = [];
  }
  return { made, filled };
}
