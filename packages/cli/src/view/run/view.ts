import type { ExecutorEvent, ExecutorResult } from '@holdfast/agent';
import { jsonView, plainView } from './line-views.ts';
import { liveView } from './live-view.ts';

/** `live`: a terminal that is redrawn; `plain`: lines for files, pipes and CI; `json`: an object a line, for programs. */
export type ViewKind = 'live' | 'plain' | 'json';

export interface ViewOptions {
  readonly kind: ViewKind;
  /** What the run is about. */
  readonly title: string;
  /** The command that continues the run, named when it did not complete. */
  readonly resume?: string;
  /** Shows debug lines, and with `json` also each piece of the model's text. */
  readonly verbose?: boolean;
  /** Ctrl-C, or SIGINT, for the nth time. With none given, it ends the process, as it does. */
  readonly onInterrupt?: (times: number) => void;
  readonly stdout?: NodeJS.WriteStream;
  readonly stderr?: NodeJS.WriteStream;
  readonly stdin?: NodeJS.ReadStream;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Shows a run. */
export interface View {
  /** Takes one event in; never throws, returns at once. */
  onEvent(event: ExecutorEvent): void;
  /**
   * Shows how the run ended, gives the terminal back, resolves once all is written. Without a result it only gives the
   * terminal back. To be called exactly once, also after a failure: until then the process may not end by itself.
   */
  end(result?: ExecutorResult): Promise<void>;
}

/** Options with their defaults filled in. */
export interface ViewSetup extends ViewOptions {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly stdin: NodeJS.ReadStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The way to show a run that fits where it is shown. Pure. */
export function viewKind(
  json: boolean,
  stdout: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): ViewKind {
  if (json) return 'json';
  const ci = env.CI !== undefined && env.CI !== '' && env.CI !== '0' && env.CI !== 'false';
  return stdout.isTTY && !ci && env.TERM !== 'dumb' ? 'live' : 'plain';
}

/** Starts to show a run. A live view takes the terminal until `end`. Start the run only once it is there. */
export async function createView(options: ViewOptions): Promise<View> {
  const setup: ViewSetup = {
    ...options,
    stdout: options.stdout ?? process.stdout,
    stderr: options.stderr ?? process.stderr,
    stdin: options.stdin ?? process.stdin,
    env: options.env ?? process.env,
  };
  if (setup.kind === 'live') return liveView(setup);
  return setup.kind === 'json' ? jsonView(setup) : plainView(setup);
}
