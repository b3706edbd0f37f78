import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';

/** The terminals that every screen must fit: a usual one, a small one, and a large one. */
export const SIZES = [
  [80, 24],
  [60, 20],
  [200, 50],
] as const;

/** A program in a real pseudo-terminal, and the screen that a person would see. */
export interface TestTerminal {
  readonly pid: number;
  /** The rows that are visible now, without blanks at their ends. */
  screen(): string[];
  /** Every row, those that scrolled away first. */
  scrollback(): string[];
  /** Rows that the terminal had to break because they were too long for it. */
  brokenRows(): string[];
  /** Resolves once the predicate holds for the screen; rejects with the screen if it does not in time, or never can. */
  until(predicate: (screen: string[]) => boolean, milliseconds?: number): Promise<void>;
  write(keys: string): void;
  /** Like dragging a window: the terminal rewraps its text, then notifies the program. */
  resize(columns: number, rows: number): Promise<void>;
  /** The exit code, once all that was written is on the screen. */
  readonly exit: Promise<number>;
  cursorVisible(): boolean;
  alternateScreen(): boolean;
  /** All that the program wrote, as it wrote it. */
  raw(): string;
  kill(signal?: string): void;
}

export interface TerminalOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cols?: number;
  readonly rows?: number;
  /** Added to this process's; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
}

/** Starts a program in a terminal of its own. End it, or kill it, before the test ends. */
export function openTerminal(options: TerminalOptions): TestTerminal {
  const { cols = 80, rows = 24 } = options;
  const terminal = new headless.Terminal({ cols, rows, scrollback: 100_000, allowProposedApi: true });
  const pty = spawn(options.command, [...options.args], {
    cols,
    rows,
    cwd: options.cwd ?? process.cwd(),
    name: options.env?.TERM ?? 'xterm-256color',
    env: environment(options.env ?? {}),
  });
  let written = '';
  let cursor = true;
  // Inside synchronized output a terminal shows nothing: half a frame is not what a person sees.
  let drawing = false;
  let code: number | undefined;
  let changed: () => void = () => {};
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, (params) => seen(params, true));
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, (params) => seen(params, false));
  const seen = (params: readonly (number | number[])[], on: boolean) => {
    if (params.includes(25)) cursor = on;
    if (params.includes(2026)) drawing = on;
    return false;
  };
  // Answers to a program's questions about its terminal.
  terminal.onData((answer) => pty.write(answer));
  pty.onData((data) => {
    written += data;
    terminal.write(data, () => drawing || changed());
  });
  const exit = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      terminal.write('', () => {
        code = exitCode;
        changed();
        resolve(exitCode);
      });
    });
  });

  const rowsFrom = (from: number, to: number) => {
    const buffer = terminal.buffer.active;
    return Array.from(
      { length: to - from },
      (_, i) =>
        buffer
          .getLine(from + i)
          ?.translateToString(true)
          .trimEnd() ?? '',
    );
  };
  const screen = () => rowsFrom(terminal.buffer.active.baseY, terminal.buffer.active.baseY + terminal.rows);

  return {
    pid: pty.pid,
    screen,
    scrollback: () => rowsFrom(0, terminal.buffer.active.length),
    brokenRows: () => {
      const buffer = terminal.buffer.active;
      return rowsFrom(0, buffer.length).filter((_, i) => buffer.getLine(i)?.isWrapped);
    },
    until(predicate, milliseconds = 30_000) {
      return new Promise((resolve, reject) => {
        const fail = (why: string) => {
          clearTimeout(timer);
          reject(new Error(`${why}; the screen is:\n${screen().join('\n')}`));
        };
        const timer = setTimeout(() => fail(`not seen within ${milliseconds} ms`), milliseconds);
        const look = () => {
          if (predicate(screen())) {
            clearTimeout(timer);
            changed = () => {};
            resolve();
          } else if (code !== undefined) fail(`the program ended with ${code} before it was seen`);
        };
        changed = look;
        if (!drawing || code !== undefined) look();
      });
    },
    write: (keys) => pty.write(keys),
    resize: (columns, height) =>
      new Promise((resolve) => {
        terminal.write('', () => {
          terminal.resize(columns, height);
          pty.resize(columns, height);
          resolve();
        });
      }),
    exit,
    cursorVisible: () => cursor,
    alternateScreen: () => terminal.buffer.active.type === 'alternate',
    raw: () => written,
    kill: (signal) => pty.kill(signal),
  };
}

function environment(added: Readonly<Record<string, string | undefined>>): Record<string, string> {
  // Programs behave otherwise in CI, and this is about what a person sees.
  const all: Record<string, string | undefined> = {
    ...process.env,
    CI: undefined,
    CONTINUOUS_INTEGRATION: undefined,
    NO_COLOR: undefined,
    FORCE_COLOR: undefined,
    ...added,
  };
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}
