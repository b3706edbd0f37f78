import type { OpenaiResponsesItem } from 'holdfast/rules';
import { isJson, listOf, parsed, textOf } from '../json.ts';
import { openaiTool, wordsOf } from '../openai-body.ts';
import type { Prompt, PromptMessage } from '../script.ts';
import type { ResponsesJudged } from './judge.ts';

/** The request as a script sees it: neighbouring items of one side become one message. */
export function responsesPrompt({ body, items }: ResponsesJudged): Prompt {
  const messages: PromptMessage[] = [];
  const system = [textOf(body.instructions)];
  for (const item of items) {
    const next = isJson(item) ? neutral(item) : undefined;
    if (!next) continue;
    if (next.role === 'system') {
      system.push(next.text);
      continue;
    }
    const before = messages.at(-1);
    if (before?.role === next.role) messages[messages.length - 1] = joined(before, next);
    else messages.push(next);
  }
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    api: 'openai-responses',
    model: textOf(body.model),
    system: system.filter((text) => text !== '').join('\n'),
    messages,
    tools: listOf(body.tools).map(openaiTool),
    results: messages.slice(last + 1).flatMap(({ results }) => results),
    body,
  };
}

function joined(one: PromptMessage, other: PromptMessage): PromptMessage {
  return {
    role: one.role,
    text: [one.text, other.text].filter((text) => text !== '').join('\n'),
    calls: [...one.calls, ...other.calls],
    results: [...one.results, ...other.results],
  };
}

function neutral(item: OpenaiResponsesItem): PromptMessage | undefined {
  const { type, role, content, call_id: id, output, name } = item;
  const bare = { text: '', calls: [], results: [] };
  if (role !== undefined) {
    const side = role === 'assistant' ? role : role === 'user' ? role : 'system';
    return { ...bare, role: side, text: wordsOf(content) };
  }
  if (typeof id !== 'string') return undefined;
  if (type?.endsWith('_output'))
    return { ...bare, role: 'user', results: [{ id, text: wordsOf(output) || textOf(output), error: false }] };
  const input = parsed(item.arguments ?? item.input ?? item.action ?? item.operation);
  return { ...bare, role: 'assistant', calls: [{ id, name: name ?? type ?? '', input }] };
}
