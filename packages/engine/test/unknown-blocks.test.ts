import { describe, expect, test } from 'vitest';
import { contentText } from '../src/content/text.ts';
import { ConversationWindow, type Strategy } from '../src/index.ts';
import {
  type Block,
  CONTENT_FORMATS,
  type ContentFormat,
  dialectOf,
  type Format,
  PIXEL,
  type Wire,
} from './histories.ts';

const ID = 'call_odd';
const WORDS = 'word of a long text\n';

/** A call and its result with this content, a list of blocks. */
function turnOf(format: Format, content: readonly Block[], id = ID): Wire[] {
  if (format === 'anthropic')
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ];
  if (format === 'openai-responses')
    return [
      { type: 'function_call', call_id: id, name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: content },
    ];
  const made = { toolCallId: id, toolName: 'look' };
  if (format === 'ai-sdk')
    return [
      { role: 'assistant', content: [{ type: 'tool-call', ...made, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...made, output: { type: 'content', value: content } }] },
    ];
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: id, content },
  ];
}

const textBlock = (format: Format, text: string): Block => ({
  type: format === 'openai-responses' ? 'input_text' : 'text',
  text,
});

function imageBlock(format: Format, data: string): Block {
  const url = `data:image/png;base64,${data}`;
  if (format === 'openai-chat') return { type: 'image_url', image_url: { url } };
  if (format === 'openai-responses') return { type: 'input_image', image_url: url, detail: 'auto' };
  if (format === 'ai-sdk') return { type: 'file', data: { type: 'data', data }, mediaType: 'image/png' };
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

/** A picture of 1200 × 900, as far as its header goes. */
const PICTURE = `iVBORw0KGgoAAAANSUhEUgAABLAAAAOECAIAAAAAAAAA${'QkFTRTY0'.repeat(60)}`;

const UNKNOWN: Readonly<Record<ContentFormat, readonly Block[]>> = {
  anthropic: [
    { type: 'tool_reference', tool_name: 'WebFetch' },
    { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: WORDS.repeat(60) }] },
  ],
  'openai-chat': [{ type: 'holo_block', text: WORDS.repeat(60) }],
  'openai-responses': [{ type: 'file_pointer', text: WORDS.repeat(60) }],
  'ai-sdk': [
    { type: 'custom', providerOptions: { anthropic: { type: 'tool-reference', toolName: 'WebFetch' } } },
    { type: 'image-hologram', data: WORDS.repeat(60) },
  ],
};

const masking: Strategy = {
  name: 'mask-all',
  due: ({ messages }) => messages > 6,
  judge: (turns) => ({ verdicts: turns.map(() => 'mask'), note: 'digest', mask_chars: 40 }),
};

/** The view of a window that takes any message: an API may know blocks that the rules here do not. */
async function folded(format: Format, history: readonly Wire[]) {
  const dialect = { ...dialectOf(format), validate: () => [] };
  const window = new ConversationWindow<Wire>({ max_messages: 0, strategy: masking }, { dialect });
  return { window, ...(await window.fit(history)) };
}

/** The history around a turn, long enough that a fold masks it. */
const around = (format: Format, turn: readonly Wire[]): Wire[] => [
  { role: 'user', content: 'Look at it.' },
  ...turn,
  ...Array.from({ length: 4 }, (_, i) =>
    turnOf(format, [textBlock(format, `${i} ${WORDS.repeat(40)}`)], `c${i}`),
  ).flat(),
];

describe.each(CONTENT_FORMATS)('in %s', (format) => {
  test.each(UNKNOWN[format].map((block) => [block.type, block] as const))(
    'a result with %s stays whole, alone and beside text and an image',
    async (_, block) => {
      const beside = [textBlock(format, WORDS.repeat(60)), block, imageBlock(format, PICTURE)];
      for (const content of [[block], beside]) {
        const turn = turnOf(format, content);
        const { messages, receipt } = await folded(format, around(format, turn));
        expect(receipt?.masked).toBeGreaterThan(0);
        for (const message of turn) expect(messages).toContainEqual(message);
      }
    },
  );

  test('user messages with an unknown block are kept or dropped, never shortened', async () => {
    const odd = { type: 'holo_block', data: 'x' };
    const ask: Wire = { role: 'user', content: [textBlock(format, WORDS.repeat(60)), odd] };
    const { maskText } = dialectOf(format);
    expect(maskText(ask, 'short')).toBe(ask);
    expect(maskText({ role: 'user', content: [textBlock(format, 'long')] }, 'short')).toMatchObject({ role: 'user' });
  });

  test('the mask of an image mentions it, wherever it was, and is shorter than it', async () => {
    const image = imageBlock(format, PICTURE);
    const long = textBlock(format, WORDS.repeat(60));
    for (const content of [[image], [textBlock(format, 'Screen:'), image], [long, image, long], [image, image, long]]) {
      const [call, result] = turnOf(format, content) as [Wire, Wire];
      const { window, messages } = await folded(format, around(format, [call, result]));
      const mask = messages.find((message) => JSON.stringify(message).includes(`"${ID}"`) && message !== call);
      expect(mask).not.toEqual(result);
      const text = contentText(dialectOf(format).read(mask as Wire).results[0]?.content);
      expect(text).toMatch(content.filter((block) => block === image).length === 2 ? /\b2 images\b/ : /\b1 image\b/);
      expect(JSON.stringify(mask).length).toBeLessThan(JSON.stringify(result).length);
      const handle = /recall (m[\d.]+)/.exec(text)?.[1] ?? '';
      expect((await window.recall(handle)).messages).toEqual([result]);
    }
  });

  test('no mask is longer than what it replaces, in characters or by the caller’s counter', async () => {
    // Counts words: runs of one character are cheap, and what a mask says is not.
    const tokens = (text: string) => text.split(/[^\w]+/).length;
    const texts = ['x'.repeat(900), WORDS.repeat(40), `${' '.repeat(900)}a`, 'short', 'a\n'.repeat(300)];
    const history: Wire[] = [{ role: 'user', content: 'Look at it.' }];
    for (let i = 0; i < 30; i++) {
      const text = texts[i % texts.length] ?? '';
      history.push(
        ...turnOf(format, [textBlock(format, text), ...(i % 7 === 0 ? [imageBlock(format, PIXEL)] : [])], `c${i}`),
      );
    }
    for (const strategy of [masking, 'governed', 'fold'] as const)
      for (const counter of [undefined, tokens]) {
        const dialect = dialectOf(format);
        const config = { max_messages: 0, max_tokens: 900, strategy };
        const window = new ConversationWindow<Wire>(config, { dialect, ...(counter ? { tokens: counter } : {}) });
        const { messages } = await window.fit(history);
        for (const message of messages)
          for (const [part, { id, content }] of dialect.read(message).results.entries()) {
            const at = history.findIndex((one) => dialect.read(one).results.some((result) => result.id === id));
            const whole = dialect.read(history[at] as Wire).results[part]?.content;
            const [now, before] = [contentText(content), contentText(whole)];
            if (now === before || JSON.stringify(whole).includes('image')) continue;
            expect(now.length, now).toBeLessThan(before.length);
            if (counter) expect(counter(now), now).toBeLessThan(counter(before));
          }
      }
  });
});

test('an output of an unknown type stays unchanged', async () => {
  const made = { toolCallId: ID, toolName: 'look' };
  const turn: Wire[] = [
    { role: 'assistant', content: [{ type: 'tool-call', ...made, input: {} }] },
    { role: 'tool', content: [{ type: 'tool-result', ...made, output: { type: 'later', value: WORDS.repeat(60) } }] },
  ];
  const { messages } = await folded('ai-sdk', around('ai-sdk', turn));
  expect(messages).toContainEqual(turn[1]);
});
