import type { ProgramDefinition, ProviderDefinition } from '../definition.ts';
import type { ErrorCategory, ExecutionOptions, ProviderEvent, TokenUsage } from '../provider.ts';

/** How a program is run, whichever it is. */
export interface CliConfig {
  /** Its name or path. */
  readonly program?: string;
  readonly model?: string;
  /** More arguments for it. They stand in the list of processes: no secrets. */
  readonly args?: readonly string[];
  /** Over the environment of this process, in which it looks for its key. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long it may take to end when it is asked to. Default 2000. */
  readonly grace_ms?: number;
}

/** What a program's lines have told so far. */
export interface CliReading {
  readonly session_id?: string;
  /** The last words of the model. */
  readonly output?: string;
  /** It said that it was done, well or not. */
  readonly finished?: boolean;
  readonly error?: string;
  readonly errorCategory?: ErrorCategory;
  /** It stopped at the most requests that it may make. */
  readonly isSpent?: boolean;
  /** The answer was cut off. */
  readonly cut?: boolean;
  readonly tokenUsage?: TokenUsage;
  /** Dollars of the session, as far as it counts them. */
  readonly session_cost?: number;
  readonly requests?: number;
  readonly warning?: string;
}

/** What differs from program to program. */
export interface CliKind extends Pick<ProviderDefinition, 'type'> {
  readonly program: ProgramDefinition;
  /** It knows no limit of requests: it is stopped from outside, by the calls that it tells of. */
  readonly endless?: boolean;
  args(options: ExecutionOptions, session_id: string | undefined): readonly string[];
  /** Reads one line's object: what it adds to the reading, what happened, which file was changed. */
  createReader(): (event: Readonly<Record<string, unknown>>) => CliStep;
}

/** What one line of a program's output says. */
export interface CliStep {
  readonly reading?: CliReading;
  readonly events?: readonly ProviderEvent[];
  readonly files?: readonly string[];
}
