import type { Step, ToolUse } from './steps.ts';

/** A message of the Anthropic API. */
export interface AnthropicShape {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly AnthropicBlockShape[];
}

type AnthropicBlockShape =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: ToolUse['input'] }
  | { readonly type: 'tool_result'; readonly tool_use_id: string; readonly content: string; readonly is_error?: true };

/** A message of OpenAI's Chat Completions. */
export interface OpenaiChatShape {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
}

/** Converts one step to messages; `ids` returns the id of each call. */
export function anthropicMessages(step: Step, ids: (use: ToolUse) => string): AnthropicShape[] {
  if (step.type === 'request') return [{ role: 'user', content: step.text }];
  if (step.type === 'answer') return [{ role: 'assistant', content: step.text }];
  const text = (words: string | undefined) => (words === undefined ? [] : [{ type: 'text' as const, text: words }]);
  const calls = step.uses.map((use) => ({ type: 'tool_use' as const, id: ids(use), name: use.name, input: use.input }));
  const results = step.uses.map(({ output, error }, i) => ({
    type: 'tool_result' as const,
    tool_use_id: calls[i]?.id ?? '',
    content: output,
    ...(error ? { is_error: true as const } : {}),
  }));
  return [
    { role: 'assistant', content: [...text(step.text), ...calls] },
    { role: 'user', content: [...results, ...text(step.interjection)] },
  ];
}

/** Converts one step to messages; `ids` returns the id of each call. */
export function openaiChatMessages(step: Step, ids: (use: ToolUse) => string): OpenaiChatShape[] {
  if (step.type === 'request') return [{ role: 'user', content: step.text }];
  if (step.type === 'answer') return [{ role: 'assistant', content: step.text }];
  const calls = step.uses.map((use) => ({
    id: ids(use),
    type: 'function' as const,
    function: { name: use.name, arguments: JSON.stringify(use.input) },
  }));
  return [
    { role: 'assistant', content: step.text ?? null, tool_calls: calls },
    ...step.uses.map(({ output }, i) => ({ role: 'tool' as const, tool_call_id: calls[i]?.id ?? '', content: output })),
    ...(step.interjection === undefined ? [] : [{ role: 'user' as const, content: step.interjection }]),
  ];
}
