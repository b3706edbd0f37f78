import { flushed } from '../guard-output.ts';
import { countInterrupts } from '../interrupts.ts';
import { terminalStyle } from '../style.ts';
import { liveRows } from './live-rows.ts';
import { logRows } from './log-lines.ts';
import { createWatch, type Line } from './run-watch.ts';
import { summaryRows } from './summary.ts';
import type { View, ViewOptions } from './view.ts';

// Ten frames a second look live and cost little.
const FRAME_MS = 100;

/** Redraws a few rows at the bottom of the terminal; finished lines scroll up. Owns stdin until `end`. */
export async function liveView({ title, resume, verbose = false, onInterrupt }: ViewOptions): Promise<View> {
  // Loaded here because other views need neither ink nor React.
  const { createFrames } = await import('../frames.ts');
  const { stdout } = process;
  const style = terminalStyle(process.env);
  const now = () => performance.now();
  const watch = createWatch(now);
  const interrupts = countInterrupts(onInterrupt, () => draw());
  let waiting: Line[] = [];
  let tick = 0;
  const frames = createFrames({
    onKey: (input, key) => {
      if (key.ctrl && input === 'c') interrupts.press();
    },
    live: (columns, rows) => {
      const moment = watch.moment();
      return liveRows({ title, moment, now: now(), interrupts: interrupts.times, tick, columns, rows }, style);
    },
  });

  function draw(): void {
    if (!frames.ready) return;
    const log = waiting.flatMap((line) => logRows(line, frames.columns - 1, style));
    waiting = [];
    frames.draw(log);
  }
  const timer = setInterval(() => {
    tick += 1;
    draw();
  }, FRAME_MS);

  return {
    // Only queue: hundreds of events may arrive between two frames.
    onEvent(event) {
      waiting.push(...watch.onEvent(event).filter((line) => isShown(line, verbose)));
    },
    async end(result) {
      clearInterval(timer);
      draw();
      interrupts.stop();
      await frames.end();
      if (result) {
        const rows = summaryRows({ title, result, resume, columns: frames.columns - 1 }, style);
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
