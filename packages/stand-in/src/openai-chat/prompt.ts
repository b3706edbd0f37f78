import type { OpenaiChatMessage } from 'holdfast/rules';
import { listOf, parsed, textOf } from '../json.ts';
import { openaiTool, wordsOf } from '../openai-body.ts';
import type { Prompt, PromptMessage } from '../script.ts';
import type { ChatJudged } from './judge.ts';

/** The request as a script sees it. */
export function chatPrompt({ body, messages }: ChatJudged): Prompt {
  const all = messages.map(neutral);
  const last = all.findLastIndex(({ role }) => role === 'assistant');
  const isSystem = ({ role }: PromptMessage) => role === 'system';
  return {
    api: 'openai-chat',
    model: textOf(body.model),
    system: all
      .filter(isSystem)
      .map(({ text }) => text)
      .join('\n'),
    messages: all.filter((message) => !isSystem(message)),
    tools: listOf(body.tools).map(openaiTool),
    results: all.slice(last + 1).flatMap(({ results }) => results),
    body,
  };
}

function neutral({ role, content, tool_calls: calls, tool_call_id: id = '' }: OpenaiChatMessage): PromptMessage {
  const text = wordsOf(content);
  if (role === 'tool') return { role: 'user', text: '', calls: [], results: [{ id, text, error: false }] };
  return {
    role: role === 'developer' || role === 'system' ? 'system' : role === 'assistant' ? role : 'user',
    text,
    calls: (calls ?? []).map(({ id: call, function: called, custom }) => ({
      id: call,
      name: called?.name ?? custom?.name ?? '',
      input: parsed(called?.arguments ?? custom?.input),
    })),
    results: [],
  };
}
