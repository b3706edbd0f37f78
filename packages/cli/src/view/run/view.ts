import type { ExecutorEvent, ExecutorResult } from '@holdfast/agent';
import { jsonView, plainView } from './line-views.ts';
import { liveView } from './live-view.ts';

/** `live`: a redrawn terminal; `plain`: lines for files, pipes and CI; `json`: one object per line for programs. */
export type ViewKind = 'live' | 'plain' | 'json';

export interface ViewOptions {
  readonly kind: ViewKind;
  readonly title: string;
  /** The command that resumes the run, shown if it did not complete. */
  readonly resume?: string | undefined;
  /** The command that shows the run again. */
  readonly show?: string | undefined;
  /** Also shows debug lines, and with `json` the model's text as it streams. */
  readonly verbose?: boolean;
  /** Called on the nth Ctrl-C or SIGINT. Without it, they end the process as usual. */
  readonly onInterrupt?: (times: number) => void;
}

/** Shows a run. */
export interface View {
  /** Handles one event; never throws or blocks. */
  onEvent(event: ExecutorEvent): void;
  /**
   * Shows the result, if any, releases the terminal, and resolves once everything is written. Call it exactly once, even after
   * a failure: until then the process may not exit.
   */
  end(result?: ExecutorResult): Promise<void>;
}

/** The kind of view that suits the output. Pure. */
export function viewKind(
  json: boolean,
  stdout: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): ViewKind {
  if (json) return 'json';
  const ci = env.CI !== undefined && env.CI !== '' && env.CI !== '0' && env.CI !== 'false';
  return stdout.isTTY && !ci && env.TERM !== 'dumb' ? 'live' : 'plain';
}

/** Creates a view; start the run afterwards. A live view owns the terminal until `end`. */
export async function createView(options: ViewOptions): Promise<View> {
  if (options.kind === 'live') return liveView(options);
  return options.kind === 'json' ? jsonView(options) : plainView(options);
}
