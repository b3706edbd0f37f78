import { contentText } from '../content.ts';
import type { Dialect } from '../dialect.ts';
import { argumentText } from '../text/calls.ts';
import { scanNames } from '../text/names.ts';
import type { Piece } from './view-turn.ts';

/** Lines of a text from the first up to, not with, the second. */
export type Run = readonly [from: number, to: number];

/** Lines before and after one that was spoken of, and the most lines in which a name still tells something. From replays. */
const AROUND = 20;
const FEW = 5;
/** Fewer lines than this between two runs are not worth a mark. */
const GAP = 3;
/** An excerpt of more than this share of a text is none. From replays. */
const MOST_SHARE = 0.6;

/**
 * The runs of lines of a text around those that hold a name that was spoken of, where the name stands in few of them: what a
 * conversation is about in a long file. Empty if no name tells lines apart. Pure.
 */
export function excerptRuns(text: string, spoken: ReadonlySet<string>): Run[] {
  const lines = text.split('\n');
  const places = new Map<string, number[]>();
  lines.forEach((line, i) => {
    scanNames(line, (name) => {
      if (!spoken.has(name)) return;
      const found = places.get(name);
      if (found === undefined) places.set(name, [i]);
      else if (found.at(-1) !== i) found.push(i);
    });
  });
  const hot = [...places.values()].filter((found) => found.length <= FEW).flat();
  const runs: [number, number][] = [];
  for (const i of hot.sort((a, b) => a - b)) {
    const from = Math.max(0, i - AROUND);
    const to = Math.min(lines.length, i + AROUND + 1);
    const last = runs.at(-1);
    if (last && from <= last[1] + GAP) last[1] = to;
    else runs.push([from, to]);
  }
  return runs;
}

/** The runs of lines that an excerpt of a result shows; empty if there is none to make, or it would be most of it. */
export type Excerpts = (content: unknown) => readonly Run[];

/** Excerpts by the names that these turns use in words and calls, of the user and of the agent. Nothing is read before it is asked for. */
export function excerptsOf<M>(dialect: Dialect<M>, pieces: () => readonly Piece<M>[]): Excerpts {
  let spoken: Set<string> | undefined;
  const known = new Map<unknown, readonly Run[]>();
  return (content) => {
    spoken ??= spokenNames(dialect, pieces());
    let runs = known.get(content);
    if (runs === undefined) {
      const text = contentText(content);
      runs = excerptRuns(text, spoken);
      if (excerptText(text, runs, '').length >= MOST_SHARE * text.length) runs = [];
      known.set(content, runs);
    }
    return runs;
  };
}

function spokenNames<M>(dialect: Dialect<M>, pieces: readonly Piece<M>[]): Set<string> {
  const names = new Set<string>();
  const meet = (text: string) => scanNames(text, (name) => names.add(name));
  for (const { messages, readings } of pieces)
    readings.forEach(({ words, calls }, i) => {
      if (words) meet(dialect.text(messages[i] as M));
      for (const call of calls) meet(argumentText(call));
    });
  return names;
}

/** The text of these runs of lines with the handle of the whole in front, what stood beside it, and a mark for what is left out. */
export function excerptText(text: string, runs: readonly Run[], handle: string | undefined, media = ''): string {
  const lines = text.split('\n');
  const shown = runs.reduce((sum, [from, to]) => sum + to - from, 0);
  const back = handle === undefined ? '' : `: recall ${handle} for all`;
  let out = `[${shown} of ${lines.length} lines${media === '' ? '' : `, ${media}`}${back}]`;
  let next = 0;
  for (const [from, to] of runs) {
    if (from > next) out += `\n[… ${from - next} lines]`;
    out += `\n${lines.slice(from, to).join('\n')}`;
    next = to;
  }
  return next < lines.length ? `${out}\n[… ${lines.length - next} lines]` : out;
}
