import { argumentValues } from '../calls/call-facts.ts';
import { contentText } from '../content/text.ts';
import type { Dialect } from '../dialect.ts';
import { scanNames } from '../names/scan-names.ts';
import type { RawTurn } from '../turns/read-turns.ts';

/** Lines of a text, the end not included. */
export type LineRange = readonly [from: number, to: number];

/** Lines shown before and after a mentioned one. From replays. */
const AROUND = 20;
/** A name in more lines than this says nothing about the place. From replays. */
export const FEW_LINES = 5;
/** Runs that are closer than this are joined. */
export const RUN_GAP = 3;
/** An excerpt may be at most this share of the text. From replays. */
const MOST_SHARE = 0.6;

/**
 * The runs of lines around those with a mentioned name that is in few lines: what the conversation is about in a long file.
 * Empty if no name is distinctive. Pure.
 */
export function excerptRuns(text: string, spoken: ReadonlySet<string>): LineRange[] {
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
  const hot = [...places.values()].filter((found) => found.length <= FEW_LINES).flat();
  const runs: [number, number][] = [];
  for (const i of hot.sort((a, b) => a - b)) {
    const from = Math.max(0, i - AROUND);
    const to = Math.min(lines.length, i + AROUND + 1);
    const last = runs.at(-1);
    if (last && from <= last[1] + RUN_GAP) last[1] = to;
    else runs.push([from, to]);
  }
  return runs;
}

/** The runs of lines that an excerpt of a result shows; empty if there is no excerpt, or it would be most of the text. */
export type Excerpts = (content: unknown) => readonly LineRange[];

/** Excerpts by the names in the words and calls of these turns, which are read on first use. */
export function excerptsOf<M>(dialect: Dialect<M>, turns: () => readonly RawTurn<M>[]): Excerpts {
  let spoken: Set<string> | undefined;
  const known = new Map<unknown, readonly LineRange[]>();
  return (content) => {
    spoken ??= spokenNames(dialect, turns());
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

function spokenNames<M>(dialect: Dialect<M>, turns: readonly RawTurn<M>[]): Set<string> {
  const names = new Set<string>();
  const meet = (text: string) => scanNames(text, (name) => names.add(name));
  for (const { messages, readings } of turns)
    readings.forEach(({ words, calls }, i) => {
      if (words) meet(dialect.text(messages[i] as M));
      for (const call of calls) meet(argumentValues(call));
    });
  return names;
}

/** These runs of lines, after a line with the handle and what else there was, with a mark for each gap. */
export function excerptText(text: string, runs: readonly LineRange[], handle: string | undefined, media = ''): string {
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
