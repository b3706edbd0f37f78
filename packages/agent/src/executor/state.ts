import type { Receipt } from 'holdfast';
import type { Cost, ErrorCategory, ProviderEvent, TokenUsage } from '../providers/provider.ts';

/** How a run stands. `stopped`: out of a budget; `cancelled`: somebody ended it. Both can be resumed, as `failed` can. */
export type RunStatus = 'running' | 'completed' | 'blocked' | 'stopped' | 'failed' | 'cancelled';

/** What a view fills of its budget. 0 where there is no limit. */
export interface ContextGauge {
  readonly messages: number;
  readonly max_messages: number;
  readonly tokens: number;
  readonly max_tokens: number;
  /** The tokens are an estimate: show them with a `~`. */
  readonly estimated: boolean;
}

/** A run, for those who watch it. Plain data. */
export interface ExecutorState {
  readonly status: RunStatus;
  readonly iteration: number;
  readonly max_iterations: number;
  /** What it does now: waiting for the model, in a tool, validating, or waiting before a request is made again. */
  readonly phase: 'starting' | 'model' | 'tool' | 'validation' | 'retry' | 'ended';
  /** The tool call under way, and what it is about. */
  readonly tool?: { readonly name: string; readonly about: string };
  /** Tool calls that ended, over the whole run. */
  readonly calls: number;
  readonly requests: number;
  /** Messages in the view; undefined for providers that manage their own context. */
  readonly conversationMessageCount?: number;
  readonly context?: ContextGauge;
  readonly folds: number;
  readonly tokenUsage: TokenUsage;
  /** Undefined where the model's prices are not known. */
  readonly cost?: Cost;
  /** Share of the tokens sent that were read from the provider's cache. */
  readonly cacheShare: number;
  readonly filesChangedCount: number;
  /** Milliseconds of work, over all processes that had a part in it. */
  readonly elapsed_ms: number;
  readonly lastError?: string;
}

/** What came of one validation command. */
export interface ValidationResult {
  readonly command: string;
  readonly passed: boolean;
  /** Null if a signal ended it. */
  readonly exit_code: number | null;
  /** The end of what it printed. */
  readonly output: string;
  readonly elapsed_ms: number;
}

/** What happens during a run, as it happens. */
export type ExecutorEvent =
  | { readonly type: 'state-change'; readonly state: ExecutorState }
  | { readonly type: 'iteration-start'; readonly iteration: number }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'call-start'; readonly id: string; readonly name: string; readonly about: string }
  | Extract<ProviderEvent, { readonly type: 'call-end' }>
  | { readonly type: 'fold-end'; readonly receipt: Receipt }
  | { readonly type: 'validation-end'; readonly result: ValidationResult }
  | { readonly type: 'request-retry'; readonly category: ErrorCategory; readonly wait_ms: number }
  | { readonly type: 'log-line'; readonly level: 'debug' | 'info' | 'warn'; readonly text: string };

/** How a run ended. Plain data. */
export interface ExecutorResult extends ExecutorState {
  readonly status: Exclude<RunStatus, 'running'>;
  /** What the model said of it: what was done, or what is missing. */
  readonly summary: string;
  /** Why it did not complete, and what to do; undefined if it did. */
  readonly reason?: string;
  readonly errorCategory?: ErrorCategory;
  /** Which budget ran out. */
  readonly budget?: 'iterations' | 'time' | 'cost' | 'failures';
  /** The first of them by name, where there are very many. */
  readonly filesChanged: readonly string[];
  readonly validation: readonly ValidationResult[];
  /** Commands that the Definition of Done names and no check runs. */
  readonly unchecked: readonly string[];
  /** The session that holds it, for resuming. */
  readonly session: string;
}
