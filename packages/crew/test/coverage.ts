import { Session } from 'node:inspector/promises';
import { onTestFinished } from 'vitest';

interface Piece {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** The code of these functions that never ran, and the branches that always went one way. */
type Uncovered = (file: string, ...names: readonly string[]) => Promise<string[]>;

/** Counts what runs of modules that are loaded from now on, until the answer is called. */
export async function startCoverage(): Promise<() => Promise<Uncovered>> {
  const session = new Session();
  session.connect();
  // Left on, it slows down every test that follows in this worker.
  onTestFinished(async () => {
    await session.post('Profiler.stopPreciseCoverage');
    session.disconnect();
  });
  await session.post('Profiler.enable');
  await session.post('Debugger.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return async (file, ...names) => {
      // A file that was loaded before has a script of its own for each time.
      const script = result.findLast(({ url }) => url.endsWith(file));
      if (!script) throw new Error(`${file} was not loaded`);
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId: script.scriptId });
      const pieces = script.functions.flatMap(({ ranges }) => ranges);
      return names.flatMap((name) => {
        const whole = script.functions.find(({ functionName }) => functionName === name)?.ranges[0];
        return whole ? gapsIn(scriptSource, whole, pieces) : [`${file} has no function ${name}`];
      });
    };
  };
}

/** A branch, and the way to the place behind what decides it. */
const BRANCH = /\b(?:if|while|for) \(|&&|\|\||\?\?| \? /g;

function gapsIn(source: string, whole: Piece, pieces: readonly Piece[]): string[] {
  const inside = pieces.filter((one) => one.startOffset >= whole.startOffset && one.endOffset <= whole.endOffset);
  const never = inside.filter(({ count }) => count === 0);
  const text = source.slice(whole.startOffset, whole.endOffset);
  // Code that runs as often as the code around it has no range of its own: such a branch was always taken.
  const oneWay = [...text.matchAll(BRANCH)].filter(({ 0: token, index }) => {
    const at = whole.startOffset + index;
    const decided = token.endsWith('(') ? closing(source, at + token.length) : at - 1;
    return !inside.some(({ startOffset }) => startOffset >= decided && startOffset <= decided + 3);
  });
  return [
    ...never.map(({ startOffset, endOffset }) => `never ran: ${source.slice(startOffset, endOffset).slice(0, 80)}`),
    ...oneWay.map(({ index }) => `one way only: ${text.slice(Math.max(0, index - 40), index + 40)}`),
  ];
}

/** Behind the bracket that closes what was opened before `from`. */
function closing(source: string, from: number): number {
  for (let at = from, open = 1; ; at++) {
    if (at >= source.length) return at;
    if (source[at] === '(') open++;
    if (source[at] === ')' && --open === 0) return at + 1;
  }
}
