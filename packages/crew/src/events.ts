import type { ErrorCategory, ProviderEvent, TokenUsage } from '@holdfast/agent';
import type { CrewMessage } from './config/config.ts';
import type { Place } from './history/history.ts';
import type { ContextUse, CrewUsage } from './usage/usage.ts';

/** What one request may run out of. */
export type CrewLimit = 'hand_offs' | 'rounds' | 'time' | 'cost';

/** What happens while a crew works, as it happens. `result` is the last. */
export type CrewEvent =
  | { readonly type: 'agent-start'; readonly agent: string; readonly round: number; readonly messages: number }
  | { readonly type: 'text-delta'; readonly agent: string; readonly text: string }
  | {
      readonly type: 'call-start';
      readonly agent: string;
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | (Extract<ProviderEvent, { readonly type: 'call-end' }> & { readonly agent: string })
  /** What is about to be sent, and what may be. */
  | ({ readonly type: 'view-ready'; readonly agent: string } & ContextUse)
  | { readonly type: 'fold-end'; readonly agent: string; readonly before: number; readonly after: number }
  | { readonly type: 'usage-report'; readonly agent: string; readonly usage: TokenUsage; readonly cost?: number }
  | {
      readonly type: 'request-retry';
      readonly agent: string;
      readonly category: ErrorCategory;
      readonly wait_ms: number;
    }
  | { readonly type: 'agent-end'; readonly agent: string; readonly output: string; readonly error?: string }
  | { readonly type: 'hand-off'; readonly from: string; readonly to: string; readonly by: 'signal' | 'tool' | 'next' }
  | { readonly type: 'group-start'; readonly group: string; readonly agents: readonly string[] }
  | { readonly type: 'group-end'; readonly group: string; readonly failed: readonly string[] }
  /** Messages came into the history: its size before, with them, and after pruning. */
  | {
      readonly type: 'history-append';
      readonly place: Place;
      readonly messages: readonly CrewMessage[];
      readonly before: number;
      readonly grown: number;
      readonly after: number;
      readonly tokens_pruned: number;
    }
  /** Four fifths of a limit are used. */
  | {
      readonly type: 'limit-near';
      readonly what: 'history' | 'context' | 'cost';
      readonly agent?: string;
      readonly used: number;
      readonly of: number;
    }
  | { readonly type: 'result'; readonly result: CrewResult };

/** What came of a request. Plain data. */
export interface CrewResult {
  /** `paused`: an agent asks the user, and hears what is said next. `stopped`: a limit was reached. */
  readonly status: 'complete' | 'paused' | 'stopped' | 'failed' | 'cancelled';
  /** The last words: an answer, or a question to the user. */
  readonly output: string;
  /** Whose they are. */
  readonly agent?: string;
  /** Why it is neither complete nor paused, and what to do. */
  readonly reason?: string;
  readonly limit?: CrewLimit;
  readonly errorCategory?: ErrorCategory;
  /** Bounded: for the next request, which may be made anywhere. */
  readonly history: readonly CrewMessage[];
  readonly rounds: number;
  readonly hand_offs: number;
  /** Messages that were pruned. */
  readonly pruned: number;
  readonly elapsed_ms: number;
  readonly usage: CrewUsage;
}
