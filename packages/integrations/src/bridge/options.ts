import type { SessionStore } from '@holdfast/sessions';
import type { ConversationHistoryConfig, HoldfastError, Receipt } from 'holdfast';

/** How conversations are kept bounded, and where their state is kept. */
export interface HoldfastOptions
  extends Pick<
    ConversationHistoryConfig,
    'limit' | 'reserve' | 'target' | 'preserve_first_n' | 'preserve_last_n' | 'strategy' | 'prefer' | 'reminders'
  > {
  /** Tokens of a prompt, system prompt and tools included: above that the view folds. */
  readonly max_tokens: number;
  /** Where folded conversations are kept, so that another process continues with the same view. Default: memory. */
  readonly store?: SessionStore | PromiseLike<SessionStore>;
  /** Without it, a conversation that cannot be fitted is reported on the console. */
  readonly onEvent?: (event: HoldfastEvent) => void;
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
  /** The history is invalid or too large, or the store failed: the messages went out as the framework passed them, or as the last view. */
  | { readonly type: 'view-fail'; readonly conversation?: string; readonly problem: HoldfastError };
