import type { TokenUsage } from '@holdfast/models';
import type { ProgramDefinition, ProviderDefinition } from '../definition.ts';
import type { ErrorCategory, ExecutionOptions, ProviderEvent } from '../provider.ts';

/** How to run any of the programs. */
export interface CliConfig {
  /** Its name or path. */
  readonly program?: string;
  readonly model?: string;
  /** Extra arguments. Process lists show them, so no secrets. */
  readonly args?: readonly string[];
  /** Added to the environment of this process, where it finds its key. */
  readonly env?: Readonly<Record<string, string>>;
  /** How long it may take to exit when asked to. Default 2000. */
  readonly grace_ms?: number;
}

/** What a program has reported so far. */
export interface CliReading {
  readonly sessionId?: string;
  /** The model's last text. */
  readonly output?: string;
  /** It reported its end, successful or not. */
  readonly finished?: boolean;
  readonly error?: string;
  readonly errorCategory?: ErrorCategory;
  /** It stopped at its request limit. */
  readonly isSpent?: boolean;
  /** The answer was cut off. */
  readonly cut?: boolean;
  readonly tokenUsage?: TokenUsage;
  /** Dollars of the session, if it counts them. */
  readonly sessionCost?: number;
  readonly requests?: number;
  readonly warning?: string;
}

/** What differs between programs. */
export interface CliKind extends Pick<ProviderDefinition, 'type'> {
  readonly program: ProgramDefinition;
  /** It has no request limit of its own: Holdfast counts its calls and stops it. */
  readonly endless?: boolean;
  args(options: ExecutionOptions, sessionId: string | undefined): readonly string[];
  /** Reads the object of one line: what it adds to the reading, events, changed files. */
  createReader(): (event: Readonly<Record<string, unknown>>) => CliStep;
}

/** The content of one line of output. */
export interface CliStep {
  readonly reading?: CliReading;
  readonly events?: readonly ProviderEvent[];
  readonly files?: readonly string[];
}
