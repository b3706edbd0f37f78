import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { Box, type Key, type RenderOptions, render, Text, useApp, useInput, usePaste, useStdout } from 'ink';
import { createElement, useLayoutEffect } from 'react';
import { forDrawing, printable } from './guard-output.ts';
import { rowsOf } from './text.ts';

const SUSPEND_MS = 50;

/** Draws at the bottom of a terminal, through ink. */
export type Frames = ReturnType<typeof createFrames>;

export interface FramesOptions {
  /** Keys as ink reports them, possibly several characters together. Ctrl-Z is handled here. */
  onKey(input: string, key: Key): void;
  /** If set, a paste arrives as one text instead of keys. */
  onPaste?(text: string): void;
  /** Maximum frames per second, 30 by default. Rows printed between two frames appear above the older one for a moment. */
  readonly mostFrames?: number;
  /** The current live rows for a terminal of this size. */
  live(columns: number, rows: number): readonly string[];
}

export function createFrames(options: FramesOptions) {
  const { stdout, stderr, stdin } = process;
  const screen = new Screen(stdout);
  let suspended = false;
  // Only ink may move the cursor.
  const shown = (row: string) => printable(row, true);
  // Ink gives an empty text no row.
  const liveRows = () => options.live(screen.columns, screen.rows).map((row) => shown(row) || ' ');
  let live = liveRows();
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
    // Screen has everything that ink uses of a stream.
    stdout: screen as unknown as NonNullable<RenderOptions['stdout']>,
    stderr,
    stdin,
    exitOnCtrlC: false,
    interactive: true,
    incrementalRendering: true,
    ...(options.mostFrames === undefined ? {} : { maxFps: options.mostFrames }),
    isScreenReaderEnabled: false,
  });

  function redraw(): void {
    live = liveRows();
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
    get rows() {
      return screen.rows;
    },
    /** False while suspended: anything drawn then is lost. */
    get ready() {
      return !suspended;
    },
    /** Prints rows that scroll up, then redraws the live rows. None may be wider than the terminal. */
    draw(log: readonly string[]): void {
      // Bypasses ink's layout: with <Static>, a burst of 5,000 events took about twice as long.
      if (log.length > 0) print(`${log.map(shown).join('\n')}\n`);
      redraw();
    },
    /** Removes the live rows and releases the terminal. */
    async end(): Promise<void> {
      stdout.off('resize', resized);
      await ink.waitUntilRenderFlush();
      ink.clear();
      ink.unmount();
      await ink.waitUntilExit();
    },
  };
}

/** Exposes ink's way to write above the live rows. */
function Printer({ onPrinter }: { readonly onPrinter: (printer: (text: string) => void) => void }): null {
  const { write } = useStdout();
  useLayoutEffect(() => onPrinter(write), [onPrinter, write]);
  return null;
}

interface KeysProps {
  readonly onKey: (input: string, key: Key) => void;
  readonly onSuspend: (now: boolean) => void;
}

/** Raw keys, so that typing does not appear between the rows; we handle Ctrl-C and Ctrl-Z. */
function Keys({ onKey, onSuspend }: KeysProps): null {
  const { suspendTerminal } = useApp();
  const suspend = async () => {
    onSuspend(true);
    await suspendTerminal(async () => {
      process.kill(0, 'SIGTSTP');
      // Resumes here after `fg`; where job control is off, the signal does nothing.
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

/** Enables bracketed paste. */
function Pastes({ onPaste }: { readonly onPaste: (text: string) => void }): null {
  usePaste(onPaste);
  return null;
}

const UP = (rows: number) => (rows > 0 ? `\u001b[${rows}A` : '');
const ERASE_DOWN = '\u001b[J';
const HOLD = '\u001b[?2026h';
const SHOW = '\u001b[?2026l';

/**
 * The terminal as ink sees it: passes writes through, but reports a resize only after `settled`. A terminal that becomes
 * narrower wraps its rows, ink erases only as many as it drew, and the rest would stay in the scrollback.
 */
class Screen extends EventEmitter {
  readonly isTTY = true;
  readonly #stdout: NodeJS.WriteStream;

  constructor(stdout: NodeJS.WriteStream) {
    super();
    this.#stdout = forDrawing(stdout);
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

  /** Erases the rows added by wrapping; call it after ink has erased its own. */
  eraseWrapped(drawn: readonly string[]): void {
    const rows = drawn.reduce((sum, row) => sum + rowsOf(row, this.columns), 0);
    const above = Math.min(rows - drawn.length, this.rows - 1);
    if (above > 0) this.write(`${UP(above)}\r${ERASE_DOWN}`);
  }

  /** Holds the display until `settled`. */
  unsettled(): void {
    this.write(HOLD);
  }

  /** Lets ink measure again and releases the display. */
  settled(): void {
    this.emit('resize');
    this.write(SHOW);
  }
}
