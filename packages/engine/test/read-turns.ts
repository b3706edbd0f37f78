import { type HoldfastError, isHoldfastError } from '../src/index.ts';
import { toAiSdk } from './convert-ai-sdk.ts';
import { toGemini } from './convert-gemini.ts';
import { type Format, say, type Wire } from './histories.ts';

export const user = (content: string): Wire => ({ role: 'user', content });

export const assistant = (content: string): Wire => ({ role: 'assistant', content });

/** A turn of one call for each output. */
export function turn(format: Format, n: number, ...outputs: string[]): Wire[] {
  if (format === 'ai-sdk') return toAiSdk(turn('openai-chat', n, ...outputs), 'openai-chat');
  if (format === 'gemini') return toGemini(turn('anthropic', n, ...outputs), 'anthropic').slice(1);
  const ids = outputs.map((_, i) => `call${n}_${i}`);
  const input = { file_path: `src/part_${n}.ts` };
  if (format === 'anthropic') {
    return [
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input })) },
      { role: 'user', content: ids.map((id, i) => ({ type: 'tool_result', tool_use_id: id, content: outputs[i] })) },
    ];
  }
  if (format === 'openai-responses') {
    return [
      ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'Read', arguments: JSON.stringify(input) })),
      ...ids.map((call_id, i) => ({ type: 'function_call_output', call_id, output: outputs[i] })),
    ];
  }
  const tool_calls = ids.map((id) => ({
    id,
    type: 'function',
    function: { name: 'Read', arguments: JSON.stringify(input) },
  }));
  return [
    { role: 'assistant', content: null, tool_calls },
    ...ids.map((id, i) => ({ role: 'tool', tool_call_id: id, content: outputs[i] })),
  ];
}

export const lines = (n: number, salt: number) =>
  Array.from({ length: n }, (_, i) => `${i}: const value_${salt}_${i} = compute(${i});`).join('\n');

export function agent(format: Format, turns: number, size = 40): Wire[] {
  return [
    say(format, 'user', 'Fix the parser in src/parse.ts'),
    ...Array.from({ length: turns }, (_, i) => turn(format, i, lines(size, i))).flat(),
  ];
}

export async function failure(promise: Promise<unknown> | (() => unknown)): Promise<HoldfastError> {
  try {
    await (typeof promise === 'function' ? promise() : promise);
  } catch (error) {
    if (isHoldfastError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
