import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Box, type Key, type RenderOptions, render, Text, useApp, useInput, usePaste, useStdout } from 'ink';
import { createElement, useLayoutEffect } from 'react';
import { drawn, printable } from './printed.ts';
import { rowsOf } from './text.ts';

const SUSPEND_MS = 50;

/** Draws at the foot of a terminal, through ink. */
export interface Frames {
  readonly columns: number;
  /** False while another program has the terminal: what is drawn then is lost. */
  readonly ready: boolean;
  /** Prints rows that scroll up and stay, then the live rows anew. None may be wider than the terminal. */
  draw(log: readonly string[]): void;
  /** Takes the live rows away and gives the terminal back. */
  end(): Promise<void>;
}

export interface FramesOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  /** What was typed, as ink tells it: several characters at once where they came at once. Ctrl-Z is obeyed here. */
  onKey(input: string, key: Key): void;
  /** With it, what is pasted comes whole, and not as keys. */
  onPaste?(text: string): void;
  /** Frames a second at most, 30 where left out. What is printed between two of them stands above the older one for a moment. */
  readonly most_frames?: number;
  /** The rows at the foot as they are now, for a terminal of this size. */
  live(columns: number, rows: number): readonly string[];
}

export function createFrames(options: FramesOptions): Frames {
  const { stdout, stderr, stdin } = options;
  const screen = new Screen(stdout);
  let suspended = false;
  // Ink moves the cursor; no row may.
  const shown = (row: string) => printable(row, true);
  let live = options.live(screen.columns, screen.rows).map(shown);
  let print: (text: string) => void = () => {};
  const keys = {
    onKey: options.onKey,
    onSuspend: (now: boolean) => {
      suspended = now;
    },
  };
  const onPrinter = (printer: (text: string) => void) => {
    print = printer;
  };

  const tree = () =>
    createElement(
      Box,
      { flexDirection: 'column' },
      ...live.map((text, key) => createElement(Text, { key, wrap: 'truncate' }, text)),
      createElement(Printer, { key: 'printer', onPrinter }),
      ...(stdin.isTTY ? [createElement(Keys, { key: 'keys', ...keys })] : []),
      ...(stdin.isTTY && options.onPaste ? [createElement(Pastes, { key: 'pastes', onPaste: options.onPaste })] : []),
    );
  const ink = render(tree(), {
    // All that ink asks of a stream is there.
    stdout: screen as unknown as NonNullable<RenderOptions['stdout']>,
    stderr,
    stdin,
    exitOnCtrlC: false,
    interactive: true,
    incrementalRendering: true,
    ...(options.most_frames === undefined ? {} : { maxFps: options.most_frames }),
    isScreenReaderEnabled: false,
  });

  function redraw(): void {
    live = options.live(screen.columns, screen.rows).map(shown);
    ink.rerender(tree());
  }

  function resized(): void {
    screen.unsettled();
    if (!suspended) {
      ink.clear();
      screen.eraseWrapped(live);
      redraw();
    }
    screen.settled();
  }
  stdout.on('resize', resized);

  return {
    get columns() {
      return screen.columns;
    },
    get ready() {
      return !suspended;
    },
    draw(log) {
      // Past ink's layout: through <Static>, a burst of 5,000 events took about twice as long.
      if (log.length > 0) print(`${log.map(shown).join('\n')}\n`);
      redraw();
    },
    async end() {
      stdout.off('resize', resized);
      await ink.waitUntilRenderFlush();
      ink.clear();
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
}

/** Hands out the way to write above the live rows. */
function Printer({ onPrinter }: { readonly onPrinter: (printer: (text: string) => void) => void }): null {
  const { write } = useStdout();
  useLayoutEffect(() => onPrinter(write), [onPrinter, write]);
  return null;
}

interface KeysProps {
  readonly onKey: (input: string, key: Key) => void;
  readonly onSuspend: (now: boolean) => void;
}

/** Raw keys, so that what is typed does not appear amid the rows; Ctrl-C and Ctrl-Z are then ours to obey. */
function Keys({ onKey, onSuspend }: KeysProps): null {
  const { suspendTerminal } = useApp();
  const suspend = async () => {
    onSuspend(true);
    await suspendTerminal(async () => {
      process.kill(0, 'SIGTSTP');
      // Time stands still while stopped. Where nobody could continue it, the signal does nothing, and this goes on.
      await setTimeout(SUSPEND_MS);
    });
    onSuspend(false);
  };
  useInput((input, key) => {
    if (key.ctrl && input === 'z' && process.platform !== 'win32') void suspend();
    else onKey(input, key);
  });
  return null;
}

/** Bracketed paste, while this is there. */
function Pastes({ onPaste }: { readonly onPaste: (text: string) => void }): null {
  usePaste(onPaste);
  return null;
}

const UP = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const ERASE_DOWN = '\u001b[J';
const HOLD = '\u001b[?2026h';
const SHOW = '\u001b[?2026l';

/**
 * The terminal as ink sees it: all that it writes goes through, but it hears of a resize only once `settled` has been
 * called. Terminals wrap the rows they already show when they become narrower, ink erases as many as it had drawn, and
 * the rest would stay in the scrollback for ever.
 */
class Screen extends EventEmitter {
  readonly isTTY = true;
  readonly #stdout: NodeJS.WriteStream;

  constructor(stdout: NodeJS.WriteStream) {
    super();
    this.#stdout = drawn(stdout);
  }

  get columns(): number {
    return this.#stdout.columns || 80;
  }

  get rows(): number {
    return this.#stdout.rows || 24;
  }

  get writable(): boolean {
    return this.#stdout.writable;
  }

  write(text: string, callback?: () => void): boolean {
    return callback ? this.#stdout.write(text, callback) : this.#stdout.write(text);
  }

  /** Erases what wrapping added to rows that were drawn; to be called when ink has erased as many as it had drawn. */
  eraseWrapped(drawn: readonly string[]): void {
    const rows = drawn.reduce((sum, row) => sum + rowsOf(row, this.columns), 0);
    const above = Math.min(rows - drawn.length, this.rows - 1);
    if (above > 0) this.write(`${UP(above)}\r${ERASE_DOWN}`);
  }

  /** The terminal shows what follows all at once, from `settled` on. */
  unsettled(): void {
    this.write(HOLD);
  }

  /** Ink may measure again, and the terminal show what was drawn. */
  settled(): void {
    this.emit('resize');
    this.write(SHOW);
  }
}
