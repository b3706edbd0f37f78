import { countInterrupts } from '../interrupts.ts';
import { flushed } from '../printed.ts';
import { terminalStyle } from '../style.ts';
import { liveRows } from './live-rows.ts';
import { logRows } from './log-lines.ts';
import { createWatch, type Line } from './run-watch.ts';
import { summaryRows } from './summary.ts';
import type { View, ViewSetup } from './view.ts';

// Ten frames a second look alive, and leave the processor to the work.
const FRAME_MS = 100;

/** Redraws a few rows at the foot of the terminal; what is done scrolls up and stays. Takes stdin until `end`. */
export async function liveView(setup: ViewSetup): Promise<View> {
  // Loaded here, because files and pipes need neither ink nor React.
  const { createFrames } = await import('../frames.ts');
  const { stdout, title, verbose = false } = setup;
  const style = terminalStyle(setup.env);
  const now = () => performance.now();
  const watch = createWatch(now);
  const interrupts = countInterrupts(setup.onInterrupt, () => draw());
  let waiting: Line[] = [];
  let tick = 0;
  const frames = createFrames({
    ...setup,
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
    // Events may come by the hundred between two frames: here they are only remembered.
    onEvent(event) {
      waiting.push(...watch.onEvent(event).filter((line) => isShown(line, verbose)));
    },
    async end(result) {
      clearInterval(timer);
      draw();
      interrupts.stop();
      await frames.end();
      if (result) {
        const { resume } = setup;
        const input = { title, result, columns: frames.columns - 1, ...(resume === undefined ? {} : { resume }) };
        stdout.write(`\n${summaryRows(input, style).join('\n')}\n`);
      }
      await flushed(stdout);
    },
  };
}

/** The gauge says all the time what `Conversation: …` says once a request. */
function isShown(line: Line, verbose: boolean): boolean {
  if (line.type !== 'log' || line.level === 'warn') return true;
  return verbose || (line.level === 'info' && !line.text.startsWith('Conversation: '));
}
