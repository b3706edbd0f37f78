import { EXIT } from './exit-codes.ts';
import { type Colours, createColours } from './view/colours.ts';
import { forPrograms } from './view/guard-output.ts';
import { harmless } from './view/harmless.ts';
import { wrapProse } from './view/prose.ts';

/** What commands know about the process they run in. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paint: Colours;
  /** The width of the terminal that `print` writes to. Undefined for a file or a pipe. */
  readonly columns?: number | undefined;
  /** Whether the user trusts the folder's settings. Default: no. */
  readonly trusts?: boolean;
  /** Hashes of the files that the user trusts, by real path. Absent if `--trust` was given. */
  readonly trustedHashes?: ReadonlyMap<string, string>;
  /** Prints a result to standard output. */
  print(text: string): void;
  /** Prints a sentence for people to standard output, wrapped at words on a terminal. */
  say(sentence: string): void;
  /** Prints exactly these bytes, nothing added, to a file or a pipe; to a terminal as `print`. */
  printExactly(text: string): void;
  /** Prints a message for people to standard error, after `holdfast: `, without colours. */
  tell(line: string): void;
  /** Sets the exit code for when the command has returned: one of EXIT, or that of another program. Default: done. */
  end(code: number): void;
  code(): number;
  /** Sets what to do when the reader closes the output. Default: exit as if done. */
  onOutputClosed(stop: () => void): void;
}

/** The context of a process. */
export function contextOf(own: NodeJS.Process): Context {
  let ending: number = EXIT.done;
  // The reader may close the pipe early, as in `holdfast config | head`.
  let unread = (): void => own.exit(own.exitCode ?? EXIT.done);
  for (const stream of [own.stdout, own.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && stream === own.stdout)
        own.stderr.write(`holdfast: cannot write the output (${error.code})\n`);
      unread();
    });
  }
  // Some terminals do not know their width, and report 0.
  const columns = (own.stdout.isTTY && own.stdout.columns) || undefined;
  return {
    cwd: own.cwd(),
    env: own.env,
    paint: createColours(wantsColour(own.env, own.stdout.isTTY === true)),
    columns,
    print: (text) => void own.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    say: (sentence) => void own.stdout.write(`${wrapProse(sentence, columns)}\n`),
    printExactly: (text) => {
      if (own.stdout.isTTY) own.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
      else forPrograms(own.stdout).write(text);
    },
    tell: (line) => {
      const columns = own.stderr.isTTY ? own.stderr.columns : undefined;
      own.stderr.write(`${wrapProse(`holdfast: ${harmless(line)}`, columns, '  ')}\n`);
    },
    end: (code) => {
      ending = code;
    },
    code: () => ending,
    onOutputClosed: (stop) => {
      unread = stop;
    },
  };
}

/** Resolves when the user, the system or the reader of the output ends the process. Listen before you print an address. */
export function untilEnded(context: Context): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    context.onOutputClosed(resolve);
  });
}

/** FORCE_COLOR decides, then NO_COLOR, then whether the output is a terminal. Pure. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, terminal: boolean): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR) return !/^(?:0|false)$/i.test(FORCE_COLOR);
  if (NO_COLOR) return false;
  return terminal && TERM !== 'dumb';
}
