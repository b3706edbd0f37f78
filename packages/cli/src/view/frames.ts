import { Box, type RenderOptions, render, Static, Text, useInput } from 'ink';
import { createElement, type ReactNode } from 'react';
import { Screen } from './screen.ts';

/** Draws at the foot of a terminal, through ink. */
export interface Frames {
  readonly columns: number;
  readonly rows: number;
  /** Rows that scroll up and stay, and those below them that the next call replaces. None may be wider than `columns`. */
  draw(log: readonly string[], live: readonly string[]): void;
  /** Takes the live rows away and gives the terminal back. */
  end(): Promise<void>;
}

export interface FramesOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  onInterrupt(): void;
  /** The terminal has another size: call `draw` with rows that fit it. */
  onResize(): void;
}

export function createFrames(options: FramesOptions): Frames {
  const { stdout, stderr, stdin } = options;
  const screen = new Screen(stdout);
  let batch = 0;
  let log: readonly string[] = [];
  let live: readonly string[] = [];

  const tree = () =>
    createElement(
      Box,
      { flexDirection: 'column' },
      // A key of its own for each batch: ink then need not keep all that was ever printed.
      // biome-ignore lint/correctness/noChildrenProp: these children are a function, which the argument's type refuses
      createElement(Static<string>, { key: `log-${batch}`, items: [...log], children: row }),
      ...live.map(row),
      ...(stdin.isTTY ? [createElement(Keys, { key: 'keys', onInterrupt: options.onInterrupt })] : []),
    );
  const ink = render(tree(), {
    stdout: screen as unknown as NonNullable<RenderOptions['stdout']>,
    stderr,
    stdin,
    exitOnCtrlC: false,
    interactive: true,
    incrementalRendering: true,
    isScreenReaderEnabled: false,
  });

  function resized(): void {
    ink.clear();
    screen.eraseWrapped(live);
    options.onResize();
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
    draw(nextLog, nextLive) {
      if (nextLog.length > 0) {
        batch += 1;
        log = nextLog;
      }
      live = nextLive;
      ink.rerender(tree());
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

function row(text: string, key: number): ReactNode {
  return createElement(Text, { key, wrap: 'truncate' }, text === '' ? ' ' : text);
}

/** Raw keys, so that what is typed does not appear amid the rows. */
function Keys({ onInterrupt }: { readonly onInterrupt: () => void }): null {
  useInput((input, key) => {
    if (key.ctrl && input === 'c') onInterrupt();
  });
  return null;
}
