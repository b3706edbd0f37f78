import { scanNames } from '../text/names.ts';
import { plainLines } from '../text/quote.ts';
import { FEW_LINES, type LineRange, RUN_GAP } from '../view/excerpt.ts';
import { LEAST_CHARS, lineKey, lineNumber } from './lines.ts';

/** What the newest messages say of a file: names, exact lines, and line numbers. */
export interface Spoken {
  readonly names: ReadonlySet<string>;
  /** Lines that the newest edit replaced or wrote. */
  readonly lines: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
}

/** Missing lines and how near they are to what is spoken of. */
export interface Choice {
  readonly runs: readonly LineRange[];
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

/** The missing lines of a text that are nearest to what is spoken of, within this many characters. Pure. */
export function chooseLines(text: string, spoken: Spoken, isMissing: (key: string) => boolean, room: number): Choice {
  const lines = text.split('\n');
  const keys = lines.map(lineKey);
  const near = nearness(lines, keys, spoken);
  const wanted: number[] = [];
  keys.forEach((key, i) => {
    const isNear = key.length >= LEAST_CHARS && (near[i] as number) >= LEAST;
    if (isNear && isMissing(key) && isPlain(lines[i] as string)) wanted.push(i);
  });
  wanted.sort((a, b) => (near[b] as number) - (near[a] as number) || a - b);
  const chosen: number[] = [];
  let chars = 0;
  for (const i of wanted) {
    chars += (lines[i] as string).length + 1;
    if (chars > room) break;
    chosen.push(i);
  }
  return runsOf(
    chosen.sort((a, b) => a - b),
    lines,
    room,
  );
}

/** How near each line is to the places that are spoken of. */
function nearness(lines: readonly string[], keys: readonly string[], { names, lines: exact, numbers }: Spoken) {
  const places = new Map<string, number[]>();
  const meet = (what: string, i: number) => {
    const found = places.get(what);
    if (found === undefined) places.set(what, [i]);
    else if (found.at(-1) !== i) found.push(i);
  };
  const near = new Float64Array(lines.length);
  const spread = (at: number, weight: number) => {
    for (let i = Math.max(0, at - 8 * HALF); i < Math.min(lines.length, at + 8 * HALF); i++)
      near[i] = Math.max(near[i] as number, weight / (1 + Math.abs(i - at) / HALF));
  };
  lines.forEach((line, i) => {
    scanNames(line, (name) => {
      if (names.has(name)) meet(name, i);
    });
    const key = keys[i] as string;
    if (exact.has(key)) meet(`\n${key}`, i);
    const number = numbers.size > 0 ? lineNumber(line) : undefined;
    if (number !== undefined && numbers.has(number)) spread(i, PLACE_WEIGHT);
  });
  for (const [what, found] of places)
    if (found.length <= FEW_LINES)
      for (const at of found) spread(at, what.startsWith('\n') ? PLACE_WEIGHT : NAME_WEIGHT);
  return near;
}

/** The chosen lines as runs, with short gaps between them filled while there is room. */
function runsOf(chosen: readonly number[], lines: readonly string[], room: number): Choice {
  const runs: [number, number][] = [];
  let chars = chosen.reduce((sum, i) => sum + (lines[i] as string).length + 1, 0);
  for (const i of chosen) {
    const last = runs.at(-1);
    const gap = last ? lines.slice(last[1], i) : [];
    const between = gap.reduce((sum, line) => sum + line.length + 1, 0);
    if (last && gap.length <= RUN_GAP && chars + between <= room && gap.every(isPlain)) {
      last[1] = i + 1;
      chars += between;
    } else runs.push([i, i + 1]);
  }
  return { runs, chars };
}
