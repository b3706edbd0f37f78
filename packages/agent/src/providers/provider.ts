import type { TokenUsage } from '@holdfast/models';
import type { CallResult, Conversation, ConversationParts, WireMessage } from '@holdfast/sessions';
import type { Archive, ConversationHistoryConfig, Receipt, Size } from 'holdfast';
import type { OpenCalls } from '../loop/open-calls.ts';
import type { Redactor } from '../loop/redactor.ts';

/** Runs one prompt to completion: requests and tool calls until the model has answered. */
export interface Provider {
  readonly name: string;
  /** The wire format of its messages; undefined for programs that keep their own conversation. */
  readonly dialect?: string;
  /** It accepts `history`. If not, put the history into the prompt. */
  readonly takesHistory?: true;
  /**
   * Never throws for failures of a model, a tool or a network: they are in the result. With a `conversationState` from
   * `resumeFrom` it resumes the interrupted execution and ignores the prompt.
   */
  execute(prompt: string, options?: ExecutionOptions): Promise<ExecutionResult>;
  /** Opens the conversation of a `conversationState` between two executions. Undefined if a program keeps it. Throws BAD_CONFIG or BAD_STATE. */
  hold?(options: ExecutionOptions): Promise<HeldConversation>;
}

/** A conversation between two executions, with the budget that an execution with the same options has. Single owner. */
export interface HeldConversation {
  /** Folds now; with `preview` it only returns the receipt. */
  compact(options?: { readonly focus?: string; readonly preview?: boolean }): Promise<Receipt>;
  /** Undoes the newest fold; undefined if there is none. Throws OVER_BUDGET. */
  undo(): Promise<Receipt | undefined>;
  redo(): Promise<Receipt | undefined>;
  /** Throws BAD_PIN. */
  pin(index: number): Promise<void>;
  unpin(index: number): Promise<void>;
  /** Answers calls without results as interrupted, and returns their names. */
  answerOpen(): Promise<readonly string[]>;
  context(): Promise<ContextUse>;
  /** `conversationState` for the next execution, with the changes made here. */
  state(): unknown;
}

/** What fills the context window, in tokens. The parts add up to `total`. */
export interface ContextUse {
  readonly total: number;
  /** True until the provider has reported usage. */
  readonly estimated: boolean;
  /** It folds above `max` tokens, and may send `limit`. */
  readonly max: number;
  readonly limit: number;
  /** Messages in the view, and their maximum: Infinity if there is no limit. */
  readonly messages: number;
  readonly maxMessages: number;
  readonly folds: number;
  /** `newest`: since the user's last prompt; `kept`: the rest of the conversation that is in the view, without pins. */
  readonly parts: Readonly<Record<'system' | 'tools' | 'note' | 'pins' | 'kept' | 'newest', number>>;
  /** `pins`, `kept` and `newest` by who said it. */
  readonly said: Readonly<Record<'user' | 'assistant' | 'tool results', number>>;
}

/** How to run one prompt. A provider ignores options that it does not know. */
export interface ExecutionOptions {
  readonly model?: string;
  readonly system?: string;
  readonly tools?: readonly Tool[];
  readonly conversation?: ConversationHistoryConfig;
  /** Short for `conversation.max_messages`, which wins. */
  readonly max_conversation_messages?: number;
  /** The state that the last execution returned; the conversation continues from there. */
  readonly conversationState?: unknown;
  /** The conversation before the prompt, if there is no `conversationState`. */
  readonly history?: readonly PlainMessage[];
  /** Maximum tokens of one answer. */
  readonly max_output?: number;
  /** Whether the model thinks before it answers. Default: the model's own. */
  readonly thinking?: boolean;
  /** Time limit of the execution. Default: none. */
  readonly time_limit_ms?: number;
  /** Maximum number of requests. Default: none. */
  readonly max_requests?: number;
  /** Sends no further request once this many dollars are spent. Default: none. Has no effect if prices are unknown. */
  readonly max_cost?: number;
  /** Words in an answer that mean that the whole task is done. */
  readonly completion_signals?: readonly string[];
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  readonly onEvent?: (event: ProviderEvent) => void;
  /** Called with each result as the model gets it, before its `call-end`. Providers that run a program report none. */
  readonly onResult?: (result: CallResult) => void;
  /** Stores the messages that folds remove. Default: memory, for this execution. */
  readonly archive?: Archive;
  /** False if no tool can recall handles: then notes and shortened results name none. Default true. */
  readonly handles?: boolean;
  /** Protects the prompt from folds. Providers that manage their own context cannot. */
  readonly pin_prompt?: boolean;
  /** Called at every point from which the execution can resume, and awaited; what it throws ends the execution. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void | Promise<void>;
  /**
   * The conversation continues in this session, instead of a `conversationState`, and everything is stored there before it is
   * sent: what cannot be stored ends the execution. Providers that keep their own conversation record nothing.
   */
  readonly session?: ExecutionSession;
  /**
   * Called, and awaited, with the JSON body of each request before it is sent. What it returns is in the `usage` entry for the
   * request. Providers that run a program send none.
   */
  readonly onRequest?: (body: string) => Promise<number | undefined>;
  /** Working directory, for providers that run a program. */
  readonly cwd?: string;
}

/** A conversation in a store, for an execution. */
export interface ExecutionSession extends Pick<ConversationParts<WireMessage>, 'through'> {
  readonly conversation: Conversation<WireMessage>;
  /** What the log calls the provider. Default: its name. */
  readonly provider?: string | undefined;
  /** Where its tools work. */
  readonly folder?: string | undefined;
  /** Resumes the interrupted execution, which left these calls open, and ignores the prompt. */
  readonly open?: OpenCalls | undefined;
}

/** A message of any conversation, in no API's format. */
export interface PlainMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Receives log lines for people. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
}

/** A tool that the model may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** May run concurrently with other parallel calls of the same answer. Default: calls run in sequence. */
  readonly parallel?: boolean;
  /** A successful call ends the execution once all calls of the answer have results. */
  readonly ends?: boolean;
  /** Running it twice has the same effect as once. Default false: a call that a crash interrupted is not run again. */
  readonly repeatable?: boolean;
  /** A text that changes once the call is done; with it, a call that a crash interrupted can be run again. Never throws. */
  mark?(input: unknown): string | undefined;
  /** What a call would do to a file; undefined if it would fail, or changes none. Changes nothing; never throws. */
  change?(input: unknown): FileChange | undefined;
  /** Returns the result for the model. If it throws, the message is the result, marked as failed. */
  run(input: unknown, context: ToolContext): Promise<string> | string;
}

/** A file before and after a call; `before` is undefined for a new file. */
export interface FileChange {
  readonly path: string;
  readonly before?: string;
  readonly after: string;
}

/** What a tool can learn from and report to the execution that called it. */
export interface ToolContext {
  readonly callId: string;
  readonly signal: AbortSignal;
  /** A crash interrupted this call; this is its earlier mark. */
  readonly interrupted?: string;
  /** Returns the text behind a handle of the conversation; undefined if there is none. */
  recall?(handle: string): Promise<string | undefined>;
  /** Removes the keys in use from text. Providers apply it to every result, but not to what a tool stores itself. */
  readonly redactor?: Pick<Redactor, 'text' | 'bytes'>;
  /** Reports a changed file, for `filesChanged` of the result. */
  fileChanged(path: string): void;
  /** Reports the newest line that the call printed, without keys. */
  printed?(line: string): void;
  /** Reports how the call's command ended. A failed command is shown as failed, whatever result the model gets. */
  commandEnded?(end: CommandEnd): void;
}

/** How a command ended. */
export interface CommandEnd {
  /** Null if something ended it. */
  readonly exitCode: number | null;
  /** The signal that ended it, if known. */
  readonly signal?: string;
  readonly timedOut?: true;
}

export const ERROR_CATEGORIES = [
  'rate_limit',
  'overloaded',
  'network',
  'auth',
  'invalid_request',
  'context_overflow',
  'timeout',
  'cancelled',
  'unknown',
] as const;

/** Why an execution failed. */
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/** Dollars. */
export interface Cost {
  readonly spent: number;
  /** What the same requests would have cost with the full history in each; undefined if nothing was left out. */
  readonly everything?: number;
}

/** The size of what no fold may remove, and the budget that it exceeds; Infinity where there is no limit. */
export interface OverBudget {
  readonly floor: Size;
  readonly max: Size;
}

/** The result of one prompt. Plain data. */
export interface ExecutionResult {
  readonly success: boolean;
  /** The model's last words. */
  readonly output: string;
  readonly error?: string;
  readonly errorCategory?: ErrorCategory;
  /** Nothing could be sent: what no fold may remove is larger than the budget. */
  readonly overBudget?: OverBudget;
  /** The limit that ended it, if one did. */
  readonly budget?: 'requests' | 'cost' | 'time';
  readonly filesChanged: readonly string[];
  /** The model finished its answer: it was not cut off. */
  readonly iterationComplete: boolean;
  /** The word in the answer that means that the whole task is done. */
  readonly completionSignal?: string;
  readonly tokenUsage?: TokenUsage;
  /** For the next execution. JSON of bounded size, however long the conversation. */
  readonly conversationState?: unknown;
  readonly conversationMetrics?: { readonly messageCount: number; readonly estimatedTokens: number };
  /** Undefined if the model's prices are unknown. */
  readonly cost?: Cost;
  readonly folds?: number;
  /** Share of the sent tokens that was read from the provider's cache. */
  readonly cacheShare?: number;
  readonly requests?: number;
}

/** What an execution has used so far. */
export type Progress = Pick<
  ExecutionResult,
  'filesChanged' | 'tokenUsage' | 'cost' | 'cacheShare' | 'folds' | 'requests'
>;

/**
 * A point from which an execution can resume, also in another process: `resumeFrom` turns the last `state` and everything
 * after it into a `conversationState`. Plain JSON.
 */
export type Checkpoint =
  /** The model has answered, and none of its calls has run yet. */
  | { readonly type: 'state'; readonly conversationState: unknown; readonly progress: Progress }
  /** A call that must not run twice is about to run. */
  | { readonly type: 'call'; readonly id: string; readonly mark?: string }
  /** A call has ended, with this result for the model. */
  | { readonly type: 'result'; readonly id: string; readonly text: string; readonly failed: boolean };

/** Folded lines that came back: which files or names they are about, where they are from, and what they cost. */
export interface AddedReminder {
  readonly about: readonly string[];
  readonly handles: readonly string[];
  readonly tokens: number;
}

/** Events of an execution, as they happen. */
export type ProviderEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'call-start'; readonly id: string; readonly name: string; readonly input: unknown }
  /** The result has been recorded. `failed`: the tool, or the command that it ran. */
  | ({
      readonly type: 'call-end';
      readonly id: string;
      readonly name: string;
      readonly failed: boolean;
    } & Partial<CommandEnd>)
  /** The newest line that a running call printed, several times a second at most. */
  | { readonly type: 'call-output'; readonly id: string; readonly line: string }
  | { readonly type: 'fold-end'; readonly receipt: Receipt }
  /** Folded lines come back at the end of the view. */
  | ({ readonly type: 'reminder-add' } & AddedReminder)
  /** The view that is about to be sent; Infinity means no limit. */
  | {
      readonly type: 'view-ready';
      readonly messages: number;
      readonly tokens: number;
      readonly estimated: boolean;
      readonly max: { readonly messages: number; readonly tokens: number };
    }
  /** `model` gave the answer; `unsent` estimates the tokens of the history that its request left out. */
  | {
      readonly type: 'usage-report';
      readonly usage: TokenUsage;
      readonly cost?: number;
      readonly model?: string;
      readonly unsent?: number;
    }
  | RetryEvent;

/** A request failed and is sent again. `message`: what failed, and where; `attempt`: the next one, of at most `attempts`. */
export interface RetryEvent {
  readonly type: 'request-retry';
  readonly category: ErrorCategory;
  readonly waitMs: number;
  readonly message?: string;
  readonly attempt?: number;
  readonly attempts?: number;
}
