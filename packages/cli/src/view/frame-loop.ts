import type { Interrupts } from './interrupts.ts';

// Ten frames a second look live and cost little.
const FRAME_MS = 100;

interface FrameLoopOptions<T> {
  readonly interrupts: Pick<Interrupts, 'press'>;
  /** The current live rows for a terminal of this size; `tick` counts the frames. */
  live(columns: number, rows: number, tick: number): readonly string[];
  /** The rows of a finished line, none of them wider. */
  rowsOf(line: T, columns: number): readonly string[];
}

/** Redraws a few rows at the bottom of the terminal; finished lines scroll up with the next frame. Owns stdin until `end`. */
export async function startFrames<T>({ interrupts, live, rowsOf }: FrameLoopOptions<T>) {
  // Loaded here because other views need neither ink nor React.
  const { createFrames } = await import('./frames.ts');
  let waiting: T[] = [];
  let tick = 0;
  const frames = createFrames({
    onKey: (input, key) => {
      if (key.ctrl && input === 'c') interrupts.press();
    },
    live: (columns, rows) => live(columns, rows, tick),
  });
  const draw = () => {
    if (!frames.ready) return;
    const log = waiting.flatMap((line) => rowsOf(line, frames.columns - 1));
    waiting = [];
    frames.draw(log);
  };
  const timer = setInterval(() => {
    tick += 1;
    draw();
  }, FRAME_MS);
  return {
    get columns() {
      return frames.columns;
    },
    /** Only queues: hundreds of events may arrive between two frames. */
    add(lines: readonly T[]): void {
      waiting.push(...lines);
    },
    draw,
    async end(): Promise<void> {
      clearInterval(timer);
      draw();
      await frames.end();
    },
  };
}
