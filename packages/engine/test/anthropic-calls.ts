import { expect } from 'vitest';
import { ConversationWindow, type WindowEvent } from '../src/index.ts';
import type { Wire } from './histories.ts';
import { violationsOf } from './promises.ts';

export const user = (content: unknown): Wire => ({ role: 'user', content });

export const assistant = (content: unknown): Wire => ({ role: 'assistant', content });

export const system = (content: string): Wire => ({ role: 'system', content });

export const call = (i: number, result = 'line of text\n'.repeat(60)): Wire[] => [
  assistant([{ type: 'tool_use', id: `t${i}`, name: 'Read', input: { file_path: `src/file_${i}.ts` } }]),
  user([{ type: 'tool_result', tool_use_id: `t${i}`, content: result }]),
];

export const calls = (count: number) => Array.from({ length: count }, (_, i) => call(i)).flat();

export const anthropicWindow = (config: object, onEvent?: (event: WindowEvent) => void) =>
  new ConversationWindow<Wire>(
    { max_messages: 0, ...config },
    { dialect: 'anthropic', logger: { warn() {} }, ...(onEvent ? { onEvent } : {}) },
  );

export const refused = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { code: string; details: object }) => error,
  );

/** Fits at each request of the history and judges every view by all rules. */
export async function live(window: ConversationWindow<Wire>, history: readonly Wire[]): Promise<Wire[]> {
  let view: Wire[] = [];
  for (let end = 1; end <= history.length; end++) {
    const next = history[end];
    if (end < history.length && next?.role !== 'assistant') continue;
    view = (await window.fit(history.slice(0, end))).messages;
    expect(violationsOf('anthropic', view), `at ${end}`).toEqual([]);
  }
  return view;
}
