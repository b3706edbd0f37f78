import type { FoundMessage, Hit, SessionInfo, SessionStore } from '@holdfast/sessions';
import type { ConversationHistoryConfig, Receipt } from 'holdfast';
import type { ContextUse, ExecutionOptions, ExecutionResult, Provider, Tool } from '../providers/provider.ts';
import type { ChatBounds } from './bounds.ts';

/** Who answers. `name` as in the configuration; `model` as the provider was given it, or its default. */
export interface Speaker {
  readonly provider: Provider;
  readonly name: string;
  readonly model: string;
}

/** What a conversation with a person starts from. */
export interface ChatSetup {
  readonly store: SessionStore;
  /** The session to go on with, by its whole id; a new one where left out, kept from the first prompt on. */
  readonly session?: string;
  readonly speaker: Speaker;
  readonly system?: string;
  /** `recall`, by handle and by words, comes by itself. */
  readonly tools?: readonly Tool[];
  readonly conversation?: ConversationHistoryConfig;
  /** What ends an answer before its end, with `budget` in its result; the session can be gone on with. Default: nothing. */
  readonly bounds?: ChatBounds;
  readonly options?: Pick<ExecutionOptions, 'max_output' | 'thinking' | 'max_requests' | 'logger' | 'cwd'>;
  /** Asked before each call of a tool that changes something (one that is not `repeatable`). All are allowed where left out. */
  readonly approve?: (call: ToolRequest, signal: AbortSignal) => Promise<Approval>;
  /** Calls that are asked for each time, also where `always` was said. Default: none. */
  readonly ask_again?: (call: ToolRequest) => boolean;
}

/** A call that waits to be allowed. */
export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** `always`: this tool is not asked for again in this process. What is refused is told to the model, with the reason. */
export type Approval = 'once' | 'always' | { readonly refused: string };

/** What a resumed session was found to hold. */
export interface Restored {
  readonly turns: number;
  /** Turns that are not in the view any more, or not whole. */
  readonly folded: number;
  readonly messages: number;
  /** Tokens of the view. */
  readonly tokens: number;
  /** The newest note, if anything was ever dropped. */
  readonly note?: string;
  /** The process before ended in the middle of an answer: what became of it. */
  readonly interrupted?: string;
}

/** A message of the history as a person would point at it. */
export interface ChatMessage {
  readonly index: number;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  readonly pinned: boolean;
}

/** One conversation with a person, kept in a session. One call at a time; what is asked during an answer waits for its end. */
export interface Chat {
  /** Undefined until the first prompt. */
  readonly session: string | undefined;
  readonly speaker: Speaker;
  /** Undefined for a new session. */
  readonly restored: Restored | undefined;
  /**
   * Says a prompt. It is on the disk before anything is sent, and so is each message after it. An abort keeps the turn: what
   * was answered up to then stays, marked as interrupted. Never throws for what a model, a tool or a network does; throws
   * STORE_CONFLICT if another process has written meanwhile: nothing was said, and the next prompt goes on behind that.
   */
  say(
    prompt: string,
    options?: Pick<ExecutionOptions, 'signal' | 'onEvent' | 'time_limit_ms'>,
  ): Promise<ExecutionResult>;
  info(): Promise<SessionInfo | undefined>;
  context(): Promise<ContextUse>;
  /** The last messages, oldest first. */
  said(last: number): Promise<ChatMessage[]>;
  /** A fold now, by the code of the automatic one; with `preview` only its receipt. Throws BAD_CONFIG where the provider keeps its own context. */
  compact(options?: { readonly focus?: string; readonly preview?: boolean }): Promise<Receipt>;
  /** Takes the newest fold back; undefined if there is none. Throws OVER_BUDGET. */
  uncompact(): Promise<Receipt | undefined>;
  recompact(): Promise<Receipt | undefined>;
  /** The message at this place of the history, or the newest of the user; gives what was pinned. Throws BAD_PIN. */
  pin(index?: number): Promise<ChatMessage>;
  unpin(index: number): Promise<void>;
  /** By a handle its message, by words the best passages. */
  recall(asked: string, limit?: number): Promise<{ readonly message?: FoundMessage; readonly hits: readonly Hit[] }>;
  /**
   * Back to before the newest prompt, which it gives; undefined if there is none. What was said stays in the log. The view is
   * as it was then: `folds` made since are taken back; below 0, so many that were taken back since stand again.
   */
  undo(): Promise<{ readonly prompt: string; readonly messages: number; readonly folds: number } | undefined>;
  /** A session of its own that begins as this one is now; this chat stays with the old one. Gives its id. */
  fork(): Promise<string>;
  /** Somebody else answers from now on; of the same wire format, unless nothing was said yet. Throws BAD_CONFIG. */
  use(speaker: Speaker): Promise<void>;
  /** Waits for what is under way. The store stays open. */
  close(): Promise<void>;
}
