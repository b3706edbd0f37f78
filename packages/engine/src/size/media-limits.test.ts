import { describe, expect, test } from 'vitest';
import { type Block, CONTENT_FORMATS, dialectOf, type Format, PIXEL, type Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { anthropic, ConversationWindow, isHoldfastError, type Limits } from '../index.ts';

/** A PNG of this size according to its header, padded to a length. */
function png(width: number, height: number, chars = 100): string {
  const header = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  const word = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
  const text = Buffer.from([...header, ...word(width), ...word(height), 8, 2, 0, 0, 0, 0]).toString('base64');
  return text.padEnd(chars, 'A');
}

const limited = (format: Format, limits: Limits) => dialectOf(format, 'bound', limits);

function imageOf(format: Format, data: string): Block {
  const url = `data:image/png;base64,${data}`;
  if (format === 'openai-chat') return { type: 'image_url', image_url: { url } };
  if (format === 'openai-responses') return { type: 'input_image', image_url: url, detail: 'auto' };
  if (format === 'ai-sdk') return { type: 'file', data: { type: 'data', data }, mediaType: 'image/png' };
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

function textOf(format: Format, text: string): Block {
  return { type: format === 'openai-responses' ? 'input_text' : 'text', text };
}

/** A screenshot as a tool's result; in the one format whose results are texts, as the user's. */
function shown(format: Format, data: string, i: number): Wire[] {
  const parts = [textOf(format, `screen ${i}`), imageOf(format, data)];
  const id = `t${i}`;
  const name = 'screenshot';
  if (format === 'openai-chat')
    return [
      { role: 'user', content: parts },
      { role: 'assistant', content: `I see screen ${i}.` },
    ];
  if (format === 'openai-responses')
    return [
      { type: 'function_call', call_id: id, name, arguments: '{}' },
      { type: 'function_call_output', call_id: id, output: parts },
    ];
  if (format === 'ai-sdk') {
    const made = { toolCallId: id, toolName: name };
    const output = { type: 'content', value: parts };
    return [
      { role: 'assistant', content: [{ type: 'tool-call', ...made, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...made, output }] },
    ];
  }
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: parts }] },
  ];
}

const imagesIn = (view: readonly Wire[]) =>
  JSON.stringify(view).match(/"type":"(?:image|image_url|input_image|file)"/g)?.length ?? 0;

describe.each(CONTENT_FORMATS)('in %s', (format) => {
  const start: Wire = { role: 'user', content: 'Look at the screens.' };
  const ask = (i: number): Wire[] => (format === 'openai-chat' ? [{ role: 'user', content: `next ${i}` }] : []);

  test('folds away more images than a request may have, oldest first, and recalls them', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect: limited(format, { images: 6 }) });
    const history: Wire[] = [start];
    let folds = 0;
    for (let i = 0; i < 30; i++) {
      history.push(...shown(format, PIXEL, i), ...ask(i));
      const { messages, receipt } = await window.fit(history);
      expect(imagesIn(messages), `call ${i}`).toBeLessThanOrEqual(6);
      expect(violationsOf(format, messages)).toEqual([]);
      if (receipt) {
        folds++;
        expect(receipt.reason).toBe('limits');
      }
    }
    expect(folds).toBeGreaterThan(0);
    expect(folds).toBeLessThan(12);
    expect((await window.recall('m1-m2')).messages).toEqual(history.slice(1, 3));
  });

  test('many images may not be wide', async () => {
    const dialect = limited(format, { images: 100, many_images: 4, many_side: 2_000 });
    const window = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect });
    const small = [start, ...Array.from({ length: 8 }, (_, i) => shown(format, png(800, 600), i)).flat(), ...ask(0)];
    expect((await window.fit(small)).receipt).toBeUndefined();
    const { messages, receipt } = await window.fit([...small, ...shown(format, png(2_400, 600), 9), ...ask(1)]);
    expect(receipt?.reason).toBe('limits');
    expect(imagesIn(messages)).toBeLessThanOrEqual(4);
  });

  test('a request never has more bytes than the provider accepts', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect: limited(format, { bytes: 200_000 }) });
    const history: Wire[] = [start];
    for (let i = 0; i < 20; i++) {
      history.push(...shown(format, png(100, 100, 40_000), i), ...ask(i));
      const { messages } = await window.fit(history);
      expect(Buffer.byteLength(JSON.stringify(messages))).toBeLessThanOrEqual(200_000);
    }
    expect(window.state().folds).toBeGreaterThan(0);
  });

  test('refuses an image that no provider accepts, with its index', async () => {
    const dialect = limited(format, { image_side: 8_000, image_bytes: 50_000 });
    const window = new ConversationWindow<Wire>({}, { dialect });
    const refuse = (data: string) => window.fit([start, ...shown(format, data, 1), ...ask(1)]);
    await expect(refuse(png(9_000, 10))).rejects.toThrow(
      /image-too-large" \(9000 px > 8000 px\): Scale the image down/,
    );
    const index = format === 'openai-chat' ? 1 : 2;
    await expect(refuse(png(10, 10, 80_000))).rejects.toMatchObject({ code: 'INVALID_HISTORY', details: { index } });
  });

  test('names images that may not be folded away if there are too many', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 0 }, { dialect: limited(format, { images: 2 }) });
    const images = Array.from({ length: 3 }, () => imageOf(format, PIXEL));
    const refusal = await window
      .fit([{ role: 'user', content: [textOf(format, 'compare'), ...images] }])
      .catch((error: unknown) => error);
    expect(isHoldfastError(refusal) && refusal.code).toBe('OVER_BUDGET');
    expect(String(refusal)).toContain('3 images > 2');
  });
});

test('the window and the rules count the same bytes for an image', async () => {
  const dialect = anthropic<Wire>();
  for (const [bytes, isTaken] of [
    [8_000_001, true],
    [10_400_001, true],
    [10_500_000, false],
  ] as const) {
    const image = imageOf('anthropic', png(10, 10, (4 * bytes) / 3));
    const history = [{ role: 'user', content: [image, { type: 'text', text: 'What is this?' }] }];
    const fitted = await new ConversationWindow<Wire>({}, { dialect }).fit(history).then(
      () => true,
      () => false,
    );
    const isValid = !violationsOf('anthropic', history).some(({ rule }) => rule === 'image-bytes');
    expect([fitted, isValid]).toEqual([isTaken, isTaken]);
  }
});

test('the limits of the Anthropic API are on by default', () => {
  expect(anthropic().limits).toMatchObject({ bytes: 32_000_000, images: 600, many_images: 20, many_side: 2_000 });
});
