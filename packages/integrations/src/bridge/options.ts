import type { SessionStore } from '@holdfast/sessions';
import type { ConversationHistoryConfig, HoldfastError, Receipt } from 'holdfast';

/** How conversations are kept bounded, and where their state is kept. */
export interface HoldfastOptions
  extends Pick<
    ConversationHistoryConfig,
    'limit' | 'reserve' | 'target' | 'preserve_first_n' | 'preserve_last_n' | 'strategy' | 'prefer' | 'reminders'
  > {
  /**
   * The largest prompt in tokens, system prompt and tools included. The view folds above it, and earlier if that costs less.
   * Default: `defaultBudget` of the model, in `@holdfast/models`.
   */
  readonly max_tokens?: number;
  /** Where folded conversations are kept, so that another process continues with the same view. Default: memory. */
  readonly store?: SessionStore | PromiseLike<SessionStore>;
  /** How long the agent waits for the store before the conversation goes on in memory. Default: 20 seconds. */
  readonly store_timeout_ms?: number;
  /** Without it, a conversation that cannot be fitted is reported on the console. */
  readonly onEvent?: (event: HoldfastEvent) => void;
}

/** The same for frameworks in which we add the recall tool. */
export interface RecallOptions extends HoldfastOptions {
  /** Adds the tool `recall`, with which the model reads folded messages again. Default false: then notes name no handles. */
  readonly recall?: boolean;
}

/** An event in a conversation, which `conversation` names as its handles do. */
export type HoldfastEvent =
  | { readonly type: 'fold-end'; readonly conversation: string; readonly receipt: Receipt }
  | {
      readonly type: 'reminder-add';
      readonly conversation: string;
      readonly handles: readonly string[];
      readonly tokens: number;
    }
  /** The API refused thinking of another view, or of another server: the request goes out again without it. */
  | { readonly type: 'thinking-retry'; readonly conversation: string }
  /**
   * The history is invalid or too large: the messages went out as the framework passed them, or as the last view. Or the store
   * failed: the view went out, and names nothing that is not stored.
   */
  | { readonly type: 'view-fail'; readonly conversation?: string; readonly problem: HoldfastError };
