import { ConversationWindow, type WindowParts } from 'holdfast';
import { describe, expect, test } from 'vitest';

type Wire = Record<string, unknown>;

/** A long file in which one function is spoken of. */
const FILE = Array.from({ length: 1_200 }, (_, i) =>
  i === 700 ? 'function findTheLeak(heap) {' : `  step(${i});`,
).join('\n');

interface Format {
  readonly name: NonNullable<WindowParts<Wire>['dialect']>;
  readonly ask: (text: string) => Wire;
  readonly call: (id: string, name: string, input: Wire, result: string) => Wire[];
}

const FORMATS: readonly Format[] = [
  {
    name: 'openai-chat',
    ask: (content) => ({ role: 'user', content }),
    call: (id, name, input, content) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
      },
      { role: 'tool', tool_call_id: id, content },
    ],
  },
  {
    name: 'anthropic',
    ask: (content) => ({ role: 'user', content }),
    call: (id, name, input, content) => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ],
  },
  {
    name: 'openai-responses',
    ask: (content) => ({ role: 'user', content }),
    call: (id, name, input, output) => [
      { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: id, output },
    ],
  },
  {
    name: 'ai-sdk',
    ask: (content) => ({ role: 'user', content }),
    call: (id, name, input, value) => [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: name, input }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value } }],
      },
    ],
  },
];

const config = { max_tokens: 12_000, max_messages: 0 };

describe.each(FORMATS)('a long read in $name', ({ name, ask, call }) => {
  const history = [
    ask('Memory grows without end: look at findTheLeak in src/heap.ts.'),
    ...call('c0', 'read_file', { path: 'src/heap.ts' }, FILE),
    ...Array.from({ length: 80 }, (_, i) =>
      call(`c${i + 1}`, 'bash', { command: `node probe.js ${i}` }, `ok ${i}\n`.repeat(60)),
    ).flat(),
  ];

  async function folded(parts: Partial<WindowParts<Wire>> = {}) {
    const window = new ConversationWindow<Wire>(config, { dialect: name, ...parts });
    for (let n = 1; n <= history.length; n += 2) {
      const { messages, receipt } = await window.fit(history.slice(0, n));
      if (receipt) return { window, messages, receipt, n };
    }
    throw new Error('no fold');
  }

  test('keeps the lines around what is mentioned, verbatim, and the rest behind its handle', async () => {
    const { window, messages } = await folded();
    const text = JSON.stringify(messages);
    expect(text).toContain('step(690);');
    expect(text).toContain('function findTheLeak(heap) {');
    expect(text).toContain('step(720);');
    expect(text).not.toContain('step(300);');
    expect(text).toMatch(/of 1200 lines: recall (m\d+) for all/);
    const [, handle = ''] = /of 1200 lines: recall (m\d+) for all/.exec(text) ?? [];
    expect(JSON.stringify((await window.recall(handle)).messages)).toContain('step(300);');
  });

  test('is in the view after a restore, an undo and a redo, byte for byte', async () => {
    const { window, messages, n } = await folded();
    const state = JSON.parse(JSON.stringify(window.state()));
    const again = await new ConversationWindow<Wire>(config, { dialect: name, state }).fit(history.slice(0, n));
    expect(again.messages).toEqual(messages);
    expect(again.receipt).toBeUndefined();
    await window.undo();
    expect((await window.fit(history.slice(0, n))).messages).toEqual(history.slice(0, n));
    await window.redo();
    expect((await window.fit(history.slice(0, n))).messages).toEqual(messages);
  });

  test('keeps them through later folds, as long as the user’s messages name the file', async () => {
    const { window, n } = await folded();
    let folds = 0;
    let last: Wire[] = [];
    for (let more = n; more <= history.length; more += 2) {
      const { messages, receipt } = await window.fit(history.slice(0, more));
      if (receipt) folds++;
      last = messages;
    }
    expect(folds).toBeGreaterThan(0);
    expect(JSON.stringify(last)).toContain('function findTheLeak(heap) {');
  });
});
