import type { ErrorCategory, ProviderEvent } from '@holdfast/agent';
import type { TokenUsage } from '@holdfast/models';
import type { CrewMessage } from './config/config.ts';
import type { AppendSource } from './history/history.ts';
import type { AgentContext, CrewUsage } from './usage/usage.ts';

/** A limit that one request may reach. */
export type CrewLimit = 'hand_offs' | 'rounds' | 'time' | 'cost';

/** What happens while a crew works. `result` is the last event. */
export type CrewEvent =
  | { readonly type: 'agent-start'; readonly agent: string; readonly round: number; readonly messages: number }
  | (Extract<
      ProviderEvent,
      { readonly type: 'text-delta' | 'call-start' | 'call-end' | 'request-retry' | 'reminder-add' }
    > & {
      readonly agent: string;
    })
  /** The size and limits of the request that is about to be sent. */
  | ({ readonly type: 'view-ready'; readonly agent: string } & AgentContext)
  | { readonly type: 'fold-end'; readonly agent: string; readonly before: number; readonly after: number }
  | { readonly type: 'usage-report'; readonly agent: string; readonly usage: TokenUsage; readonly cost?: number }
  | { readonly type: 'agent-end'; readonly agent: string; readonly output: string; readonly error?: string }
  | { readonly type: 'hand-off'; readonly from: string; readonly to: string; readonly by: 'signal' | 'tool' | 'next' }
  | { readonly type: 'group-start'; readonly group: string; readonly agents: readonly string[] }
  | { readonly type: 'group-end'; readonly group: string; readonly failed: readonly string[] }
  /** Messages were added to the history: its size before, with them, and after pruning. */
  | {
      readonly type: 'history-append';
      readonly place: AppendSource;
      readonly messages: readonly CrewMessage[];
      readonly before: number;
      readonly grown: number;
      readonly after: number;
      readonly tokensPruned: number;
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

/** The outcome of a request. Plain data. */
export interface CrewResult {
  /** `paused`: an agent asked the user, and gets the next input. `stopped`: a limit was reached. */
  readonly status: 'complete' | 'paused' | 'stopped' | 'failed' | 'cancelled';
  /** The answer, or a question to the user. */
  readonly output: string;
  /** Who said it. */
  readonly agent?: string;
  /** Why the request is neither complete nor paused, and what to do. */
  readonly reason?: string;
  readonly limit?: CrewLimit;
  readonly errorCategory?: ErrorCategory;
  /** The bounded history, for the next request in any process. */
  readonly history: readonly CrewMessage[];
  readonly rounds: number;
  readonly handOffs: number;
  /** Number of messages pruned. */
  readonly pruned: number;
  readonly elapsedMs: number;
  readonly usage: CrewUsage;
}
