import { startFrames } from '../frame-loop.ts';
import { flushed } from '../guard-output.ts';
import { countInterrupts } from '../interrupts.ts';
import { terminalStyle } from '../style.ts';
import { liveRows } from './live-rows.ts';
import { logRows } from './log-lines.ts';
import { createWatch, type Line } from './run-watch.ts';
import { summaryRows } from './summary.ts';
import type { View, ViewOptions } from './view.ts';

/** Redraws a few rows at the bottom of the terminal; finished lines scroll up. Owns stdin until `end`. */
export async function liveView({ title, resume, show, verbose = false, onInterrupt }: ViewOptions): Promise<View> {
  const { stdout } = process;
  const style = terminalStyle(process.env);
  const now = () => performance.now();
  const watch = createWatch(now);
  let draw = () => {};
  const interrupts = countInterrupts(onInterrupt, () => draw());
  const frames = await startFrames<Line>({
    interrupts,
    live: (columns, rows, tick) => {
      const moment = watch.moment();
      return liveRows({ title, moment, now: now(), interrupts: interrupts.times, tick, columns, rows }, style);
    },
    rowsOf: (line, columns) => logRows(line, columns, style),
  });
  draw = frames.draw;
  return {
    onEvent(event) {
      frames.add(watch.onEvent(event).filter((line) => isShown(line, verbose)));
    },
    async end(result) {
      interrupts.stop();
      await frames.end();
      if (result) {
        const rows = summaryRows({ title, result, resume, show, columns: frames.columns - 1 }, style);
        stdout.write(`\n${rows.join('\n')}\n`);
      }
      await flushed(stdout);
    },
  };
}

/** Hides lines whose content the live rows show anyway. */
function isShown(line: Line, verbose: boolean): boolean {
  if (line.type !== 'log' || line.level === 'warn') return true;
  return verbose || (line.level === 'info' && !line.inState);
}
