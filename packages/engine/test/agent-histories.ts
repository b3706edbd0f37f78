import { toAiSdk } from './convert-ai-sdk.ts';
import { toGemini } from './convert-gemini.ts';
import { type Block, type Format, say, type Wire } from './histories.ts';

/** What a tool call did and what came back. */
export interface ToolScript {
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly result: string;
}

/** A call and its result in any wire format. */
export function toolTurn(format: Format, id: string, script: ToolScript): Wire[] {
  const { name = 'Read', input = { file_path: `src/${id}.ts` }, result } = script;
  if (format === 'ai-sdk') return toAiSdk(toolTurn('openai-chat', id, script), 'openai-chat');
  if (format === 'gemini') return toGemini(toolTurn('anthropic', id, script), 'anthropic').slice(1);
  if (format === 'anthropic')
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
    ];
  if (format === 'openai-responses')
    return [
      { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: id, output: result },
    ];
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
  return [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: result },
  ];
}

/** A request, an answer to it, and tool turns: 2 + 2 × turns messages. As items, the answer is the first call's response. */
export function agentHistory(format: Format, turns: number, script: (i: number) => ToolScript): Wire[] {
  return [
    say(format, 'user', 'make the tests pass'),
    say(format, 'assistant', 'I will look at them.'),
    ...Array.from({ length: turns }, (_, i) => toolTurn(format, `call_${i}`, script(i))).flat(),
  ];
}

/** Text of this length, different for each number. */
export function text(chars: number, i: number): string {
  const lines = Array.from({ length: Math.ceil(chars / 20) }, (_, n) => `${i}.${n} some line of it`);
  return lines.join('\n').padEnd(chars, '.').slice(0, chars);
}

/** The results in a view by the id of their call. */
export function resultsIn(view: readonly Wire[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { role, type, content, tool_call_id: id, call_id, output } of view) {
    if (type === 'function_call_output') found.set(String(call_id), String(output));
    else if (Array.isArray(content))
      for (const block of content as Block[]) {
        if (block.type === 'tool_result') found.set(String(block.tool_use_id), String(block.content));
        if (block.type === 'tool-result')
          found.set(String(block.toolCallId), String((block.output as { value: unknown }).value));
      }
    else if (role === 'tool') found.set(String(id), String(content));
  }
  return found;
}

/** True for what the model said, which no request ends with. */
export function isModels(message: Wire | undefined): boolean {
  return message?.role === 'assistant' || message?.type === 'function_call';
}

/** Fits before each answer, as an agent would; gives every view that was sent. */
export async function sentViews(
  window: { fit(history: readonly Wire[]): Promise<{ messages: Wire[] }> },
  history: readonly Wire[],
): Promise<Wire[][]> {
  const views: Wire[][] = [];
  for (let n = 1; n <= history.length; n++)
    if (history[n - 1]?.role !== 'assistant' && history[n - 1]?.type !== 'function_call')
      views.push((await window.fit(history.slice(0, n))).messages);
  return views;
}
