import { listOf, textOf } from './json.ts';

/** Which of the APIs a request used. */
export type StandInApi = 'anthropic' | 'gemini' | 'openai-chat' | 'openai-responses';

/** A tool call that the model asked for. */
export interface PromptCall {
  readonly id: string;
  readonly name: string;
  /** Parsed if it is JSON, otherwise as it was sent. */
  readonly input: unknown;
}

/** The result of a tool call. */
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
  /** Set if its input is not JSON: free text, or a local shell's command. */
  readonly kind?: 'custom' | 'local_shell';
  /** The group of tools that it belongs to; calls name it, too. */
  readonly namespace?: string;
}

/** A request as a script sees it. */
export interface Prompt {
  readonly api: StandInApi;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly PromptTool[];
  /** The results since the last message of the assistant. */
  readonly results: readonly PromptResult[];
  /** The body as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the script answers instead of a model. */
export interface Answer {
  readonly text?: string;
  /** Calls without an id get one derived from the request. */
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: unknown }[];
  /** Sent only if the request and the model allow thinking; each text becomes a block. */
  readonly thinking?: string | readonly string[];
  /** Thinking is sent as `redacted_thinking`. */
  readonly redacted?: boolean;
  /** Why it ends; by default because of its calls, or `end` if there are none. */
  readonly stop?: 'end' | 'length' | 'refusal';
}

/** Stands in for the model: a function of the request alone, so that the same request gets the same answer. */
export type Script = (prompt: Prompt) => Answer | Promise<Answer>;

/** The request as a script sees it, from what each API makes of its own shapes. */
export function promptFor(read: Omit<Prompt, 'model' | 'results'>): Prompt {
  const { messages, body } = read;
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const results = messages.slice(last + 1).flatMap((message) => message.results);
  return { ...read, model: textOf(body.model), results };
}

/** The text in a content: a string, or the texts of its parts. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map(({ text, refusal }) => textOf(text) || textOf(refusal))
    .filter((text) => text !== '')
    .join('\n');
}
