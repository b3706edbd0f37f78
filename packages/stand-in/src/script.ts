/** Which of the three APIs a request came by. */
export type Api = 'anthropic' | 'openai-chat' | 'openai-responses';

/** A tool call that the model asked for. */
export interface PromptCall {
  readonly id: string;
  readonly name: string;
  /** Parsed where it is JSON, otherwise as it was sent. */
  readonly input: unknown;
}

/** What a tool gave. */
export interface PromptResult {
  readonly id: string;
  readonly text: string;
  readonly error: boolean;
}

/** A message of any of the APIs, in one shape. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  readonly calls: readonly PromptCall[];
  readonly results: readonly PromptResult[];
}

/** A tool as the request defines it; `schema` is its JSON schema. */
export interface PromptTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A request as a script sees it. */
export interface Prompt {
  readonly api: Api;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly PromptTool[];
  /** The results that came after the last message of the assistant. */
  readonly results: readonly PromptResult[];
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the script says in the place of a model. */
export interface Answer {
  readonly text?: string;
  /** Calls without an id get one that is made from the request. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[];
  /** Sent only where the request and the model allow thinking; several texts become several blocks. */
  readonly thinking?: string | readonly string[];
  /** Thinking is sent as `redacted_thinking`. */
  readonly redacted?: boolean;
  /** Why it ends; without it `tool_use` where there are calls and `end` where there are none. */
  readonly stop?: 'end' | 'length' | 'refusal';
}

/** The model: a function from the request alone, so that the same request gets the same answer. */
export type Script = (prompt: Prompt) => Answer | Promise<Answer>;
