import type { SessionEntry, StoredEntry } from '@holdfast/sessions';
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from 'holdfast';
import { describe, expect, test } from 'vitest';
import { addToChat, type ChatForm } from './chat-form.ts';
import { crewSession, type Spoken, spokenIn } from './crew-turns.ts';
import { runHandle } from './handles.ts';
import { mediaIn } from './media.ts';
import { readMessage, titleOf } from './message-parts.ts';
import { SessionIndex } from './session-index.ts';

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

describe('a message of any wire format is read the same way', () => {
  const call = { type: 'call', id: 'c1', name: 'Read', input: '{\n  "path": "a.ts"\n}' };
  test.each([
    [
      'anthropic',
      anthropic(),
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hmm', signature: 'x' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'Read', input: { path: 'a.ts' } },
        ],
      },
      [{ type: 'thinking', text: 'hmm' }, { type: 'text', text: 'I look.' }, call],
    ],
    [
      'openai-chat',
      openaiChat(),
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'Read', arguments: '{"path":"a.ts"}' } }],
      },
      [{ type: 'text', text: 'I look.' }, call],
    ],
    [
      'openai-responses',
      openaiResponses(),
      { type: 'function_call', call_id: 'c1', name: 'Read', arguments: '{"path":"a.ts"}' },
      [call],
    ],
    [
      'openai-responses',
      openaiResponses(),
      { type: 'reasoning', id: 'r1', summary: [{ type: 'summary_text', text: 'hmm' }] },
      [{ type: 'thinking', text: 'hmm' }],
    ],
    [
      'gemini',
      gemini(),
      {
        role: 'model',
        parts: [
          { text: 'hmm', thought: true },
          { text: 'I look.' },
          { functionCall: { id: 'c1', name: 'Read', args: { path: 'a.ts' } } },
        ],
      },
      [{ type: 'thinking', text: 'hmm' }, { type: 'text', text: 'I look.' }, call],
    ],
    [
      'ai-sdk',
      aiSdk(),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hmm' },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'Read', input: { path: 'a.ts' } },
        ],
      },
      [{ type: 'thinking', text: 'hmm' }, { type: 'text', text: 'I look.' }, call],
    ],
  ] as const)('%s', (_, dialect, message, parts) => {
    expect(readMessage(dialect as Parameters<typeof readMessage>[0], message)).toMatchObject({
      role: 'assistant',
      parts,
    });
  });

  test('results have their text, images are counted and not kept', () => {
    const message = {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          is_error: true,
          content: [
            { type: 'text', text: 'no such file' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          ],
        },
      ],
    };
    const read = readMessage(anthropic(), message, { names: new Map([['c1', 'Read']]) });
    const media = [{ kind: 'image', format: 'image/png', bytes: 72 }];
    expect(read).toEqual({
      role: 'tool',
      parts: [{ type: 'result', id: 'c1', name: 'Read', text: 'no such file', failed: true, media }],
    });
    expect(JSON.stringify(read)).not.toContain(PNG);
  });

  test.each([
    ['openai-chat', openaiChat(), { role: 'tool', tool_call_id: 'c1', content: 'seen' }],
    ['openai-responses', openaiResponses(), { type: 'function_call_output', call_id: 'c1', output: 'seen' }],
    [
      'ai-sdk',
      aiSdk(),
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'Read', output: { type: 'text', value: 'seen' } }],
      },
    ],
    [
      'gemini',
      gemini(),
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'Read', response: { output: 'seen' } } }] },
    ],
  ] as const)('a result of %s is shown once', (_, dialect, message) => {
    const { parts } = readMessage(dialect as Parameters<typeof readMessage>[0], message);
    expect(parts).toMatchObject([{ type: 'result', id: 'c1', text: 'seen' }]);
    const form: ChatForm = { messages: [], origins: [] };
    addToChat(form, dialect as never, message, 0);
    expect(form.messages.map(({ role }) => role)).toEqual(['tool']);
  });

  test('what no dialect can read is shown as JSON', () => {
    expect(readMessage(anthropic(), { role: 'user', content: [null] }).parts[0]).toMatchObject({ type: 'text' });
  });

  test('a long text is cut, its title is one line', () => {
    const read = readMessage(anthropic(), { role: 'user', content: `first\nsecond ${'x'.repeat(30_000)}` });
    expect(read.parts[0]).toMatchObject({ chars: 30_013 });
    expect(titleOf(read)).toMatch(/^first second x{1,120}…$/);
  });
});

test.each([
  [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }, 'image', 'image/png', 72],
  [{ type: 'input_image', image_url: 'https://example.com/a.png' }, 'image', undefined, 0],
  [{ inlineData: { mimeType: 'audio/wav', data: 'AAAA' } }, 'audio', 'audio/wav', 3],
  [
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    'document',
    'application/pdf',
    3,
  ],
  [{ type: 'file', mediaType: 'application/pdf', data: 'AAAA' }, 'document', 'application/pdf', 3],
])('finds media in %j', (block, kind, format, bytes) => {
  expect(mediaIn([block])).toEqual([{ kind, ...(format ? { format } : {}), bytes }]);
});

test('handles of runs have revisions and scopes', () => {
  expect(runHandle(2, 9, [])).toBe('m2-m9');
  expect(runHandle(2, 2, [[0, 0, 'abc']])).toBe('m2@abc');
  expect(
    runHandle(2, 9, [
      [0, 0],
      [5, 1],
    ]),
  ).toBe('m2-m9~1');
});

const entries = (...list: readonly SessionEntry[]): StoredEntry[] =>
  list.map((entry, at) => ({ seq: at + 1, time: at, hash: '', entry }));

test('usage of summaries and without a price', () => {
  const calibration = { slope: 1, squares: 1, products: 1 } as never;
  const index = new SessionIndex();
  const tokens = { input: 5, output: 1, cacheRead: 20, cacheWrite: 3 };
  for (const stored of entries(
    { type: 'model', provider: 'p', model: 'm', dialect: 'anthropic' },
    { type: 'usage', tokens, window: { seen: 1, sent: 1, calibration, historyTokens: 30 } },
    { type: 'usage', tokens: { input: 9, output: 9 }, cost: 1, request: 1 },
  ))
    index.add(stored);
  expect(index.calls).toMatchObject([{ call: 1, model: 'm', messages: 1, viewTokens: 28, historyTokens: 30 }]);
  expect(index.totals).toEqual({ input: 14, cacheRead: 20, cacheWrite: 3, output: 10 });
  expect(index.costs).toEqual({});
});

test('who spoke when: results belong to the agent that called', () => {
  const messages = [
    { role: 'user', content: 'help' },
    { role: 'assistant', name: 'lead', content: '[ROUTE_CLERK]' },
    { role: 'assistant', name: 'clerk', content: '', tool_calls: [{ id: 'c' }] },
    { role: 'tool', tool_call_id: 'c', content: 'seen' },
    { role: 'assistant', name: 'clerk', content: 'done' },
  ];
  const spoken: Spoken[] = [];
  for (const [index, message] of messages.entries())
    spoken.push(spokenIn({ index, time: index, message }, spoken.at(-1)?.agent));
  const { turns, edges, agents } = crewSession(spoken, undefined);
  expect(turns.map(({ agent, from, to }) => [agent, from, to])).toEqual([
    ['user', 0, 0],
    ['lead', 1, 1],
    ['clerk', 2, 4],
  ]);
  expect(edges).toEqual([{ from: 'lead', to: 'clerk', count: 1 }]);
  expect(agents).toEqual([
    { name: 'lead', turns: 1, messages: 1, calls: 0 },
    { name: 'clerk', turns: 1, messages: 3, calls: 1 },
  ]);
});

test('items of one answer are one message of a replay', () => {
  const form: ChatForm = { messages: [], origins: [] };
  const items = [
    { role: 'user', content: 'look' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'Read', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'seen' },
  ];
  for (const [index, item] of items.entries()) addToChat(form, openaiResponses() as never, item, index);
  expect(form.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(form.messages[1]).toMatchObject({ content: 'I look.', tool_calls: [{ id: 'c1' }] });
  expect(form.origins).toEqual([0, 1, 3]);
});
