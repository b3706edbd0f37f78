import { describe, expect, test } from 'vitest';
import { toGemini } from '../../test/convert-gemini.ts';
import { FORMATS, type Format, say, type Wire } from '../../test/histories.ts';
import {
  type ConversationHistoryConfig,
  ConversationWindow,
  type Strategy,
  type Verdict,
  type WindowParts,
} from '../index.ts';

const user = (content: unknown): Wire => ({ role: 'user', content });

const call = (id: string, input: unknown, content: unknown): Wire[] => [
  { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read', input }] },
  user([{ type: 'tool_result', tool_use_id: id, content }]),
];

const windowOf = (config: ConversationHistoryConfig = {}, parts: WindowParts<Wire> = {}) =>
  new ConversationWindow<Wire>(config, { dialect: 'anthropic', logger: { warn: () => {} }, ...parts });

describe.each(FORMATS)('in %s, results that are the same', (format) => {
  const results: Readonly<Record<Format, (id: string, content: string) => Wire[]>> = {
    anthropic: (id, content) => call(id, {}, content),
    'openai-chat': (id, content) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'Read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content },
    ],
    'openai-responses': (id, content) => [
      { type: 'function_call', call_id: id, name: 'Read', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: content },
    ],
    gemini: (id, content) => toGemini(call(id, {}, content), 'anthropic').slice(1),
    'ai-sdk': (id, content) => [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'Read', input: {} }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: 'Read', output: { type: 'text', value: content } }],
      },
    ],
  };
  test('are sent once: older ones point to the newest, and can be recalled', async () => {
    const same = 'export const value_of_all = 1;\n'.repeat(40);
    const history = [
      say(format, 'user', 'Mend it.'),
      ...results[format]('c1', same),
      ...results[format]('c2', 'another result\n'.repeat(60)),
      ...results[format]('c3', 'short'),
      ...results[format]('c4', same),
      say(format, 'user', 'Go on.'),
    ];
    const maskAll: Strategy = {
      due: () => true,
      judge: (turns) => ({
        verdicts: turns.map(({ results: own }): Verdict => (own.some(({ repeated }) => repeated) ? 'mask' : 'keep')),
        note: 'none',
      }),
    };
    const window = windowOf({ strategy: maskAll }, { dialect: format });
    const { messages } = await window.fit(history);
    expect(messages.filter((message) => !history.includes(message)).map((message) => JSON.stringify(message))).toEqual([
      expect.stringContaining('[same result as the later call c4; recall m2]'),
    ]);
    expect(messages[8]).toBe(history[8]);
    expect((await window.recall('m2')).messages).toEqual([history[2]]);
  });
});
