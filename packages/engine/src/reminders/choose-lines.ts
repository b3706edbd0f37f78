import { plainLines } from '../quoting/plain-lines.ts';
import { FEW_LINES, type LineRange, RUN_GAP } from '../view/excerpt.ts';
import { LEAST_CHARS, lineNumber } from './lines.ts';
import { eachWord } from './words.ts';

/** A text that left the view, and what the newest messages say about places in it. */
export interface Candidate {
  readonly lines: readonly KnownLine[];
  /** What its lines are worth, compared with those of a file that the newest messages are about. */
  readonly weight: number;
  /** Lines, line numbers and names that mark a place. */
  readonly places: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
  readonly names: readonly string[];
}

/** A line with its place in its text. */
export interface KnownLine {
  readonly text: string;
  readonly key: string;
  readonly index: number;
  /** A newer text of the file has it, too, or a change replaced it: it marks its place, but does not come back from here. */
  readonly repeated: boolean;
}

/** The chosen lines of each candidate, and their characters with those of the words around them. */
export interface Choice {
  readonly runs: ReadonlyMap<Candidate, readonly LineRange[]>;
  readonly chars: number;
}

/** Lines after which nearness has halved. */
const HALF = 10;
/** Lines after which nearness is ignored. */
const REACH = 80;
/** What a line at a marked place is worth, where a line next to all that was spoken of is worth 1. */
const PLACE = 0.2;
/** Lines that are worth less do not come back. */
const LEAST = 0.09;

/** Invisible characters could not come back word for word without hiding something from the reader. */
function isPlain(line: string): boolean {
  return plainLines(line)[0] === line.trimEnd();
}

/**
 * The missing lines of all candidates that are nearest to what is spoken of, within this many characters, with `around` for
 * the words around each candidate. The rarer a word is in all of them, the more it says about a place. Of a line that several
 * texts of a file have, the first text counts. Pure.
 */
export function chooseLines(
  candidates: readonly Candidate[],
  words: ReadonlySet<string>,
  isMissing: (key: string) => boolean,
  room: number,
  around: number,
): Choice {
  const heard = candidates.map(({ lines }) => wordPlaces(lines, words));
  const rarity = rarityOf(candidates, heard);
  const wanted = candidates
    .flatMap((candidate, i) => {
      const near = nearness(candidate, heard[i] as WordPlaces, rarity);
      return candidate.lines.flatMap((line, at) => {
        const worth = candidate.weight * (near[at] as number);
        return worth >= LEAST && !line.repeated ? [{ candidate, line, worth }] : [];
      });
    })
    .sort((a, b) => b.worth - a.worth);
  const chosen = new Set<KnownLine>();
  const keys = new Set<string>();
  const open = new Set<Candidate>();
  let chars = 0;
  for (const { candidate, line } of wanted) {
    const { key, text } = line;
    if (key.length < LEAST_CHARS || keys.has(key) || !isMissing(key) || !isPlain(text)) continue;
    const isOpen = open.has(candidate);
    const more = text.length + 1 + (isOpen ? 0 : around);
    if (chars + more > room) continue;
    chars += more;
    chosen.add(line);
    keys.add(key);
    open.add(candidate);
  }
  const runs = new Map<Candidate, readonly LineRange[]>();
  for (const candidate of candidates) {
    const { made, filled } = runsOf(candidate.lines, chosen, room - chars);
    chars += filled;
    if (made.length > 0) runs.set(candidate, made);
  }
  return { runs, chars };
}

/** The lines of a text that have each word. */
type WordPlaces = ReadonlyMap<string, readonly number[]>;

function wordPlaces(lines: readonly KnownLine[], words: ReadonlySet<string>): WordPlaces {
  const places = new Map<string, number[]>();
  if (words.size === 0) return places;
  lines.forEach(({ text, repeated }, i) => {
    if (repeated) return;
    eachWord(text, (word) => {
      if (!words.has(word)) return;
      const found = places.get(word);
      if (found === undefined) places.set(word, [i]);
      else if (found.at(-1) !== i) found.push(i);
    });
  });
  return places;
}

/** How much each word says about a place, by how few of all lines have it; together 1. A word in every line says nothing. */
function rarityOf(candidates: readonly Candidate[], heard: readonly WordPlaces[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const places of heard)
    for (const [word, found] of places) counts.set(word, (counts.get(word) ?? 0) + found.length);
  const all = candidates.reduce((sum, { lines }) => sum + lines.filter(({ repeated }) => !repeated).length, 0);
  const rarity = new Map([...counts].map(([word, count]) => [word, Math.log(all / count)] as const));
  const total = [...rarity.values()].reduce((sum, one) => sum + one, 0);
  return new Map(total > 0 ? [...rarity].map(([word, one]) => [word, one / total]) : []);
}

/** How near each line is to what is spoken of: the words around it, each by its rarity, and the nearest marked place. */
function nearness(
  { lines, places, numbers, names }: Candidate,
  heard: WordPlaces,
  rarity: ReadonlyMap<string, number>,
): Float64Array {
  const near = new Float64Array(lines.length);
  for (const [word, found] of heard) addNear(near, found, rarity.get(word) ?? 0);
  const marks = new Map<string, number[]>();
  const mark = (what: string, i: number) => {
    const found = marks.get(what) ?? [];
    found.push(i);
    marks.set(what, found);
  };
  const marked: number[] = [];
  lines.forEach(({ text, key }, i) => {
    if (places.has(key)) mark(`\n${key}`, i);
    for (const name of names) if (text.includes(name)) mark(name, i);
    const number = numbers.size > 0 ? lineNumber(text) : undefined;
    if (number !== undefined && numbers.has(number)) marked.push(i);
  });
  // What is in many lines marks no place.
  for (const found of marks.values()) if (found.length <= FEW_LINES) marked.push(...found);
  addNear(
    near,
    marked.sort((a, b) => a - b),
    PLACE,
  );
  return near;
}

/** Adds to each line how near it is to the nearest of these places, which are in order. */
function addNear(near: Float64Array, places: readonly number[], worth: number): void {
  for (const [i, at] of places.entries()) {
    // Each line belongs to the nearest place: up to the middle between two.
    const from = i === 0 ? at - REACH : Math.floor((at + (places[i - 1] as number)) / 2) + 1;
    const to = i === places.length - 1 ? at + REACH : Math.floor((at + (places[i + 1] as number)) / 2);
    for (let line = Math.max(0, from, at - REACH); line <= Math.min(near.length - 1, to, at + REACH); line++)
      near[line] = (near[line] as number) + worth / (1 + Math.abs(line - at) / HALF);
  }
}

/** The chosen lines of a text as runs, with short gaps between them filled while there is room. */
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
    const fits = gap.length <= RUN_GAP && filled + between <= room;
    if (last && fits && gap.every(({ text, repeated }) => !repeated && isPlain(text))) {
      last[1] = line.index + 1;
      filled += between;
    } else made.push([line.index, line.index + 1]);
    gap = [];
  }
  return { made, filled };
}
