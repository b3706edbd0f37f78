import type { SessionEntry } from '@holdfast/sessions';
import type { Archive, ConversationHistoryConfig, Receipt, Size } from 'holdfast';
import type { Redactor } from '../loop/redactor.ts';

/** Runs one prompt to its end: requests, tool calls, more requests, until the model has answered. */
export interface Provider {
  readonly name: string;
  /** The wire format of its messages; undefined for programs that keep their own conversation. */
  readonly dialect?: string;
  /** It takes `said`. Who does not must be told in the prompt. */
  readonly takesHistory?: true;
  /**
   * Never throws for what a model, a tool or a network does: that is in the result. With a `conversationState` of
   * `resumeFrom` it goes on with the execution that was cut off, and says no prompt.
   */
  execute(prompt: string, options?: ExecutionOptions): Promise<ExecutionResult>;
  /** The conversation of a `conversationState`, between two executions. Undefined for those who keep it elsewhere. Throws BAD_CONFIG or BAD_STATE. */
  hold?(options: ExecutionOptions): Promise<HeldConversation>;
}

/** A conversation between two executions, by the code and the budget of an execution with the same options. Single owner. */
export interface HeldConversation {
  /** A fold now; with `preview` only its receipt. */
  compact(options?: { readonly focus?: string; readonly preview?: boolean }): Promise<Receipt>;
  /** Takes the newest fold back; undefined if there is none. Throws OVER_BUDGET. */
  undo(): Promise<Receipt | undefined>;
  redo(): Promise<Receipt | undefined>;
  /** Throws BAD_PIN. */
  pin(index: number): Promise<void>;
  unpin(index: number): Promise<void>;
  /** Tells the model of calls that have no results that they were cut off, and gives their names. */
  answerOpen(): Promise<readonly string[]>;
  context(): Promise<ContextUse>;
  /** `conversationState` for the next execution, if anything was changed here. */
  state(): unknown;
}

/** What fills the window, in tokens. The parts add up to `total`. */
export interface ContextUse {
  readonly total: number;
  /** True until a provider has said how many tokens it counts. */
  readonly estimated: boolean;
  /** Tokens that a fold is due above, and the most that may be sent. */
  readonly max: number;
  readonly limit: number;
  /** Messages of the view, and the most of them: Infinity if there is no limit. */
  readonly messages: number;
  readonly max_messages: number;
  readonly folds: number;
  readonly parts: Readonly<
    Record<'system' | 'tools' | 'pins' | 'user' | 'assistant' | 'tool results' | 'note', number>
  >;
}

/** How one prompt is run. What a provider does not know it leaves alone. */
export interface ExecutionOptions {
  readonly model?: string;
  readonly system?: string;
  readonly tools?: readonly Tool[];
  readonly conversation?: ConversationHistoryConfig;
  /** Short for `conversation.max_messages`, which wins. */
  readonly max_conversation_messages?: number;
  /** What the execution before gave: the conversation goes on from there. */
  readonly conversationState?: unknown;
  /** What was said before the prompt, where no `conversationState` tells it. */
  readonly history?: readonly PlainMessage[];
  /** Most tokens of one answer. */
  readonly max_output?: number;
  /** Whether the model thinks before it answers. Default: as the model does by itself. */
  readonly thinking?: boolean;
  /** Ends the execution. Default: none. */
  readonly time_limit_ms?: number;
  /** Most requests for an answer. Default: none. */
  readonly max_requests?: number;
  /** No request is made once as many dollars are spent. Default: none. It cannot hold where the prices are not known. */
  readonly max_cost?: number;
  /** Words in an answer that say that the whole task is done. */
  readonly completion_signals?: readonly string[];
  readonly signal?: AbortSignal;
  readonly logger?: Logger;
  readonly onEvent?: (event: ProviderEvent) => void;
  /** Where messages go that folds take out. Default: memory, for this execution. */
  readonly archive?: Archive;
  /** False where no tool can recall handles: then no note and no shortened result names one. Default true. */
  readonly handles?: boolean;
  /** No fold touches the prompt. Providers that manage their own context cannot promise that. */
  readonly pin_prompt?: boolean;
  /** Told, and waited for, at each moment that the execution can go on from; what it throws ends the execution. */
  readonly onCheckpoint?: (checkpoint: Checkpoint) => void | Promise<void>;
  /**
   * Keeps what happens to the conversation, and gives the entries as they are kept: on the disk before anything of it is
   * sent. What it throws ends the execution. Providers that keep their own conversation record nothing.
   */
  readonly record?: (entries: readonly SessionEntry[]) => Promise<readonly SessionEntry[]>;
  /** Called, and awaited, with the JSON body of each request before it is sent. Providers that run a program send none. */
  readonly onRequest?: (body: string) => Promise<void>;
  /** Folder to work in, for providers that run a program. */
  readonly cwd?: string;
}

/** Words of a conversation, in no API's wire shape. */
export interface PlainMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Takes lines for people. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
}

/** Something that a model may call. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** May run at the same time as other such calls of one answer. Default: one after the other, in their order. */
  readonly parallel?: boolean;
  /** Its call, if it does not fail, ends the execution once all calls of its answer have their results. */
  readonly ends?: boolean;
  /** Running it twice does no more than running it once. Default: not so, and a call that a crash cut off is not run again. */
  readonly repeatable?: boolean;
  /** A text that differs once the call was done: with it a call that a crash cut off is run again. Never throws. */
  mark?(input: unknown): string | undefined;
  /** Its result for the model. What it throws is a result, too: the message, marked as failed. */
  run(input: unknown, context: ToolContext): Promise<string> | string;
}

/** What a tool may know and say of the run that called it. */
export interface ToolContext {
  readonly call_id: string;
  readonly signal: AbortSignal;
  /** A crash cut this call off, and this is its mark from before. */
  readonly interrupted?: string;
  /** Gives what a handle of the conversation stands for; undefined if it stands for nothing. */
  recall?(handle: string): Promise<string | undefined>;
  /** Takes the keys in use out of what the call gives back; providers do it to every result, but not to what a tool keeps. */
  readonly redactor?: Pick<Redactor, 'text' | 'bytes'>;
  /** Says that this call changed a file: it is in `filesChanged` of the result. */
  fileChanged(path: string): void;
  /** Says how the command that this call ran has ended: one that failed is shown as failed, whatever the model is told. */
  commandEnded?(end: CommandEnd): void;
}

/** How a command ended. */
export interface CommandEnd {
  /** Null if it did not end by itself. */
  readonly exit_code: number | null;
  /** What ended it, if that is known. */
  readonly signal?: string;
  readonly timed_out?: true;
}

/** Tokens as the provider billed them; the four add up to all that was sent and said. */
export interface TokenUsage {
  /** Sent, and neither read from a cache nor written to one. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** Why an execution stopped before its end. */
export type ErrorCategory =
  | 'rate_limit'
  | 'overloaded'
  | 'network'
  | 'auth'
  | 'invalid_request'
  | 'context_overflow'
  | 'timeout'
  | 'cancelled'
  | 'unknown';

/** Dollars. */
export interface Cost {
  readonly spent: number;
  /** What the same requests would have cost with the whole history in each; undefined where nothing was kept from them. */
  readonly everything?: number;
}

/** The size of what no fold may remove, and the budget that it exceeds; Infinity where there is no limit. */
export interface OverBudget {
  readonly floor: Size;
  readonly max: Size;
}

/** What came of one prompt. Plain data. */
export interface ExecutionResult {
  readonly success: boolean;
  /** The model's last words. */
  readonly output: string;
  readonly error?: string;
  readonly errorCategory?: ErrorCategory;
  /** Nothing could be sent: what no fold may remove is larger than the budget. */
  readonly overBudget?: OverBudget;
  /** The bound that ended it, where one did. */
  readonly budget?: 'requests' | 'cost' | 'time';
  readonly filesChanged: readonly string[];
  /** The model came to the end of its answer by itself. */
  readonly iterationComplete: boolean;
  /** The word in the answer that says that the whole task is done. */
  readonly completionSignal?: string;
  readonly tokenUsage?: TokenUsage;
  /** For the next execution. JSON, bounded, however long the conversation. */
  readonly conversationState?: unknown;
  readonly conversationMetrics?: { readonly messageCount: number; readonly estimatedTokens: number };
  /** Undefined where the model's prices are not known. */
  readonly cost?: Cost;
  readonly folds?: number;
  /** Share of the tokens sent that were read from the provider's cache. */
  readonly cacheShare?: number;
  readonly requests?: number;
}

/** What an execution has used up to now. */
export type Progress = Pick<
  ExecutionResult,
  'filesChanged' | 'tokenUsage' | 'cost' | 'cacheShare' | 'folds' | 'requests'
>;

/**
 * A moment that an execution can go on from, in another process too: `resumeFrom` makes a `conversationState` of the last
 * `state` and what came after it. Plain JSON.
 */
export type Checkpoint =
  /** The model has answered, and nothing of what it asked for was done yet. */
  | { readonly type: 'state'; readonly conversationState: unknown; readonly progress: Progress }
  /** A call that must not be done twice is about to be run. */
  | { readonly type: 'call'; readonly id: string; readonly mark?: string }
  /** A call has ended, and this is what the model will be told. */
  | { readonly type: 'result'; readonly id: string; readonly text: string; readonly failed: boolean };

/** What happens during an execution, as it happens. */
export type ProviderEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'call-start'; readonly id: string; readonly name: string; readonly input: unknown }
  /** The result is on the disk, where there is one. `failed`: the tool, or the command that it ran. */
  | ({
      readonly type: 'call-end';
      readonly id: string;
      readonly name: string;
      readonly failed: boolean;
    } & Partial<CommandEnd>)
  | { readonly type: 'fold-end'; readonly receipt: Receipt }
  /** What is about to be sent; a limit of Infinity is none. */
  | {
      readonly type: 'view-ready';
      readonly messages: number;
      readonly tokens: number;
      readonly estimated: boolean;
      readonly max: { readonly messages: number; readonly tokens: number };
    }
  /** Of an answer: `model`, who gave it, and `unsent`, about the tokens of the conversation that its request did not have. */
  | {
      readonly type: 'usage-report';
      readonly usage: TokenUsage;
      readonly cost?: number;
      readonly model?: string;
      readonly unsent?: number;
    }
  | { readonly type: 'request-retry'; readonly category: ErrorCategory; readonly wait_ms: number };
