import type { LoadedConfig } from '@holdfast/agent/config';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type Colours, createColours } from './view/colours.ts';
import { harmless } from './view/harmless.ts';

/** All that commands know of the process they run in. */
export interface Context {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paint: Colours;
  /** Whether the user trusts what the folder sets beyond the harmless. Default: not settled, and so not. */
  readonly trusts?: boolean;
  /** Whether a configuration still says what the user trusted. Default: nobody looked at it, or somebody vouched for anything. */
  readonly isAsTrusted?: (loaded: LoadedConfig) => boolean;
  /** What was asked for, to standard output. */
  print(text: string): void;
  /** A line for people, to standard error, behind `holdfast: `; without colours. */
  tell(line: string): void;
  /** How the program is to end, once the command has returned. Default: done. */
  end(code: ExitCode): void;
  code(): ExitCode;
  /** What is to be done when nobody reads the output any more. Default: the program ends, as if done. */
  whenUnread(stop: () => void): void;
}

/** The context of a process. */
export function contextOf(own: NodeJS.Process): Context {
  let ending: ExitCode = EXIT.done;
  // The reader has seen enough, as in `holdfast config | head`.
  let unread = (): void => own.exit(own.exitCode ?? EXIT.done);
  for (const stream of [own.stdout, own.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && stream === own.stdout)
        own.stderr.write(`holdfast: cannot write the output (${error.code})\n`);
      unread();
    });
  }
  return {
    cwd: own.cwd(),
    env: own.env,
    paint: createColours(wantsColour(own.env, own.stdout.isTTY === true)),
    print: (text) => void own.stdout.write(text.endsWith('\n') ? text : `${text}\n`),
    tell: (line) => void own.stderr.write(`holdfast: ${harmless(line)}\n`),
    end: (code) => {
      ending = code;
    },
    code: () => ending,
    whenUnread: (stop) => {
      unread = stop;
    },
  };
}

/** FORCE_COLOR decides, then NO_COLOR, then whether a terminal is there. Pure. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, terminal: boolean): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR) return !/^(?:0|false)$/i.test(FORCE_COLOR);
  if (NO_COLOR) return false;
  return terminal && TERM !== 'dumb';
}
