import type { FoundMessage, Hit, SessionInfo, SessionStore } from '@holdfast/sessions';
import type { ConversationHistoryConfig, Receipt, WrittenNote } from 'holdfast';
import type {
  ContextUse,
  ExecutionOptions,
  ExecutionResult,
  FileChange,
  Provider,
  Tool,
} from '../providers/provider.ts';
import type { ChatBounds } from './bounds.ts';
import type { Permission, Permissions } from './permissions.ts';

/** What answers. `name`: as in the configuration; `model`: the provider's model, or its default. */
export interface Speaker {
  readonly provider: Provider;
  readonly name: string;
  readonly model: string;
}

/** How to open a chat. */
export interface ChatSetup {
  readonly store: SessionStore;
  /** The full id of the session to resume. Default: a new one, created with the first prompt. */
  readonly session?: string;
  readonly speaker: Speaker;
  readonly system?: string;
  /** `recall`, by handle and by words, is added. */
  readonly tools?: readonly Tool[];
  readonly conversation?: ConversationHistoryConfig;
  /** Limits that stop an answer, with `budget` in its result; the chat can continue. Default: none. */
  readonly bounds?: ChatBounds;
  readonly options?: Pick<ExecutionOptions, 'max_output' | 'thinking' | 'max_requests' | 'logger' | 'cwd'>;
  /** Called before each call of a tool that changes something (one that is not `repeatable`). Default: all are allowed. */
  readonly approve?: (call: ToolRequest, signal: AbortSignal) => Promise<Approval>;
  /** What needs no approval. Default: nothing yet; each `always` adds to it. */
  readonly permissions?: Permissions;
  /** True for calls that need approval every time, whatever is permitted. Default: none. */
  readonly askAgain?: (call: ToolRequest) => boolean;
  /** Called when a call that may change something begins to run, after its approval. */
  readonly onRun?: (call: ToolRequest) => void;
}

/** A call that waits for approval. */
export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** What it would do to a file, if the tool can tell. */
  readonly change?: FileChange;
  /** It needs approval every time: no permission can cover it. */
  readonly everyTime?: true;
}

/** `always`: permits this, and more like it. A refusal is passed to the model, with the reason. */
export type Approval = 'once' | { readonly always: Permission } | { readonly refused: string };

/** What a resumed session holds. */
export interface Restored {
  readonly turns: number;
  /** Turns that are no longer in the view, or shortened. */
  readonly folded: number;
  readonly messages: number;
  /** Tokens of the view. */
  readonly tokens: number;
  /** The newest note, if anything was ever dropped. */
  readonly note?: string;
  /** What was under way when the last process ended. */
  readonly interrupted?: string;
}

/** A message of the history, for display. */
export interface ShownMessage {
  readonly index: number;
  /** What `recall` finds it by, also after a rewind. */
  readonly handle: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly pinned: boolean;
}

/** A conversation with a user, kept in a session. Runs one call at a time; others wait. */
export interface Chat {
  /** Undefined until the first prompt. */
  readonly session: string | undefined;
  readonly speaker: Speaker;
  /** Undefined for a new session. */
  readonly restored: Restored | undefined;
  /**
   * Sends a prompt. It is on disk before anything is sent, and so is every later message. An abort keeps the partial answer,
   * marked as interrupted. Failures of models, tools and networks are in the result. Throws STORE_CONFLICT if another process
   * wrote meanwhile: nothing was sent, and the next prompt continues from there.
   */
  say(
    prompt: string,
    options?: Pick<ExecutionOptions, 'signal' | 'onEvent' | 'onResult' | 'time_limit_ms'>,
  ): Promise<ExecutionResult>;
  info(): Promise<SessionInfo | undefined>;
  context(): Promise<ContextUse>;
  /** The note that speaks for what was folded away; undefined if nothing was. */
  note(): WrittenNote | undefined;
  /** The last messages, oldest first. */
  said(last: number): Promise<ShownMessage[]>;
  /** Folds now; with `preview` it only returns the receipt. Throws BAD_CONFIG if the provider keeps its own conversation. */
  compact(options?: { readonly focus?: string; readonly preview?: boolean }): Promise<Receipt>;
  /** Undoes the newest fold; undefined if there is none. Throws OVER_BUDGET. */
  uncompact(): Promise<Receipt | undefined>;
  recompact(): Promise<Receipt | undefined>;
  /** Pins a message, by default the user's newest, and returns it. Throws BAD_PIN. */
  pin(index?: number): Promise<ShownMessage>;
  unpin(index: number): Promise<void>;
  /** The message of a handle, or the passages that match words best. */
  recall(asked: string, limit?: number): Promise<{ readonly message?: FoundMessage; readonly hits: readonly Hit[] }>;
  /**
   * Goes back to before the newest prompt, and returns it; undefined if there is none. The log keeps everything. The view is as
   * it was then: `folds` were undone; if negative, that many are in effect again.
   */
  undo(): Promise<{ readonly prompt: string; readonly messages: number; readonly folds: number } | undefined>;
  /** Adds the messages that the last `undo` removed again, and returns their prompt; undefined after another prompt, or in another process. */
  redo(): Promise<{ readonly prompt: string; readonly messages: number } | undefined>;
  /** Copies the session as it is now, and returns the copy's id; this chat stays with the original. */
  fork(): Promise<string>;
  /** Switches to another speaker of the same wire format; any format if nothing has been said yet. Throws BAD_CONFIG. */
  use(speaker: Speaker): Promise<void>;
  /** Waits for calls under way. Does not close the store. */
  close(): Promise<void>;
}
