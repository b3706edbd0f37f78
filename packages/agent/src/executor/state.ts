import type { TokenUsage } from '@holdfast/models';
import type { Receipt } from 'holdfast';
import type { Cost, ErrorCategory, ProviderEvent, RetryEvent } from '../providers/provider.ts';

/** The status of a run. `stopped`: out of budget; `cancelled`: interrupted. Both can be resumed, and so can `failed`. */
export type RunStatus = 'running' | 'completed' | 'blocked' | 'stopped' | 'failed' | 'cancelled';

/** How full a view is. 0: no limit. */
export interface ContextGauge {
  readonly messages: number;
  readonly maxMessages: number;
  readonly tokens: number;
  readonly maxTokens: number;
  /** The tokens are an estimate: show them with a `~`. */
  readonly estimated: boolean;
}

/** The state of a run, for display. Plain data. */
export interface ExecutorState {
  readonly status: RunStatus;
  readonly iteration: number;
  readonly maxIterations: number;
  /** `model`: waiting for an answer; `retry`: waiting to repeat a request. */
  readonly phase: 'starting' | 'model' | 'tool' | 'validation' | 'retry' | 'ended';
  /** The current tool call, and what it is about. */
  readonly tool?: { readonly name: string; readonly about: string };
  /** Finished tool calls of the whole run. */
  readonly calls: number;
  readonly requests: number;
  /** Messages in the view; undefined for providers that manage their own context. */
  readonly conversationMessageCount?: number;
  readonly context?: ContextGauge;
  readonly folds: number;
  readonly tokenUsage: TokenUsage;
  /** Undefined if the model's prices are unknown. */
  readonly cost?: Cost;
  /** Share of the tokens sent that were read from the provider's cache. */
  readonly cacheShare: number;
  readonly filesChangedCount: number;
  /** Milliseconds of work, over all processes. */
  readonly elapsedMs: number;
  readonly lastError?: string;
}

/** The result of a validation command. */
export interface ValidationResult {
  readonly command: string;
  readonly passed: boolean;
  /** Null if a signal ended it. */
  readonly exitCode: number | null;
  /** The end of what it printed. */
  readonly output: string;
  readonly elapsedMs: number;
}

/** What happens during a run, as it happens. */
export type ExecutorEvent =
  | { readonly type: 'state-change'; readonly state: ExecutorState }
  | { readonly type: 'iteration-start'; readonly iteration: number }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'call-start'; readonly id: string; readonly name: string; readonly about: string }
  | Extract<ProviderEvent, { readonly type: 'call-output' | 'call-end' | 'reminder-add' }>
  | { readonly type: 'fold-end'; readonly receipt: Receipt }
  | { readonly type: 'validation-start'; readonly command: string }
  /** The newest line that the check printed. */
  | { readonly type: 'validation-output'; readonly line: string }
  | { readonly type: 'validation-end'; readonly result: ValidationResult }
  | RetryEvent
  /** `inState`: the state says the same; a view that shows the state can leave the line out. */
  | {
      readonly type: 'log-line';
      readonly level: 'debug' | 'info' | 'warn';
      readonly text: string;
      readonly inState?: true;
    };

/** How a run ended. Plain data. */
export interface ExecutorResult extends ExecutorState {
  readonly status: Exclude<RunStatus, 'running'>;
  /** The model's own summary: what was done, or what is missing. */
  readonly summary: string;
  /** Why it did not complete, and what to do; undefined if it did. */
  readonly reason?: string;
  readonly errorCategory?: ErrorCategory;
  /** Which budget ran out. */
  readonly budget?: 'iterations' | 'time' | 'cost' | 'failures';
  /** The first ones by name, if there are very many. */
  readonly filesChanged: readonly string[];
  readonly validation: readonly ValidationResult[];
  /** Commands that the Definition of Done names and no check runs. */
  readonly unchecked: readonly string[];
  /** The run's session, to resume it. */
  readonly session: string;
}
