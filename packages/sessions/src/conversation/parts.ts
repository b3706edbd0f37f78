import type { SessionTokens } from '@holdfast/models';
import type { ConversationHistoryConfig, Dialect, FitMetrics, Fitted, HoldfastError, WindowParts } from 'holdfast';
import type { SessionEntry } from '../entry.ts';
import type { SessionStore } from '../store.ts';
import type { RequestName } from './conversation-log.ts';

/** Everything that can be plugged into a conversation. */
export interface ConversationParts<M> extends Omit<WindowParts<M>, 'state' | 'dialect'> {
  readonly dialect: Dialect<M>;
  readonly config: ConversationHistoryConfig;
  /** Decides what is written of what the conversation itself records; `write` writes it. Default: all. */
  readonly through?: (entries: readonly SessionEntry[], write: Writing) => Promise<readonly SessionEntry[]>;
}

/** Stores entries, and returns them as stored. */
export type Writing = (entries: readonly SessionEntry[]) => Promise<readonly SessionEntry[]>;

/** Where a conversation is kept, and how. */
export interface ConversationPlace {
  readonly store: SessionStore;
  /**
   * `strict`: everything is stored before it is sent, or the call throws. `lenient`: the log begins with the first fold; while
   * the store is away the conversation goes on in memory, and names no handle whose original is not stored.
   */
  readonly durability: 'strict' | 'lenient';
  /** What the log names as the provider. */
  readonly provider: string;
}

/** A whole history that its sender keeps, and how to fit it. */
export interface GivenHistory<M> {
  readonly messages: readonly M[];
  readonly model: string;
  /** The sentence of a note that tells the model how to recall, with `{handle}` for an example; false if it cannot recall. */
  readonly recall?: string | false;
  /**
   * True if the sender cannot send the view again without thinking. Thinking in a history that is new here may belong to other
   * views, so it is left out, up to the user's last words.
   */
  readonly once?: boolean;
  readonly bounds?: {
    /** Tokens of the prompt above which the view folds. */
    readonly max_tokens: number;
    /** Tokens that the model accepts. */
    readonly limit: number;
    /** Tokens of everything in the prompt but the messages. */
    readonly reserve: number;
    /** The same until an answer reports its usage, if that is more. */
    readonly first_reserve?: number;
  };
}

/** What an answer used. */
export interface Spent {
  readonly tokens: SessionTokens;
  /** Dollars, if known. */
  readonly cost?: number | undefined;
  readonly model?: string | undefined;
}

/** A view that was sent, and how many messages it had. */
export interface SentView {
  /** Undefined if the messages could not be fitted. */
  readonly metrics: FitMetrics | undefined;
  readonly model: string;
  readonly sent: number;
  request?: RequestName;
}

/** A view, and what kept it from being stored. */
export interface KeptView<M> {
  readonly fitted: Fitted<M>;
  readonly problem?: HoldfastError;
}
