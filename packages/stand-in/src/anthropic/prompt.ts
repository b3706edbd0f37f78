import type { AnthropicMessage } from 'holdfast/rules';
import { isJson, listOf, textOf } from '../json.ts';
import type { Prompt, PromptMessage } from '../script.ts';
import { wordsIn } from './blocks.ts';
import type { AnthropicBody } from './body.ts';

/** The request as a script sees it. */
export function anthropicPrompt(body: AnthropicBody): Prompt {
  const messages = body.messages.map(neutral);
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return {
    api: 'anthropic',
    model: body.model,
    system: wordsIn(body.system),
    messages,
    tools: body.tools.map(({ name = '', description, input_schema: schema }) => ({
      name,
      description: textOf(description),
      schema: isJson(schema) ? schema : {},
    })),
    results: messages.slice(last + 1).flatMap(({ results }) => results),
    body,
  };
}

function neutral({ role, content }: AnthropicMessage): PromptMessage {
  const blocks = typeof content === 'string' ? [] : listOf(content);
  return {
    role: role === 'assistant' || role === 'system' ? role : 'user',
    text: wordsIn(content),
    calls: blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: textOf(id), name: textOf(name), input })),
    results: blocks
      .filter(({ type }) => type === 'tool_result')
      .map(({ tool_use_id: id, content, is_error: error }) => ({
        id: textOf(id),
        text: wordsIn(content),
        error: error === true,
      })),
  };
}
