/** A tool call: of a function or of a custom tool. */
export interface OpenaiChatCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
  readonly custom?: { readonly name: string; readonly input: string };
}

/** A message of Chat Completions: the fields that the rules look at. */
export interface OpenaiChatMessage {
  readonly role: string;
  readonly content?: string | readonly unknown[] | null;
  readonly tool_calls?: readonly OpenaiChatCall[] | null;
  readonly tool_call_id?: string;
  readonly function_call?: unknown;
  readonly name?: string;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly audio?: unknown;
}
