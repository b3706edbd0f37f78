import { afterEach, describe, expect, test, vi } from 'vitest';
import { toAiSdk } from '../../test/convert-ai-sdk.ts';
import { toGemini } from '../../test/convert-gemini.ts';
import { FORMATS, PIXEL, say, type Wire } from '../../test/histories.ts';
import { violationsOf } from '../../test/promises.ts';
import { type ConversationHistoryConfig, ConversationWindow } from '../index.ts';

const plain = (count: number): Wire[] =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i}` }));
const quiet = { warn() {} };
const trim = (config: ConversationHistoryConfig, messages: readonly Wire[]) =>
  new ConversationWindow<Wire>(config, { logger: quiet }).trim(messages);

afterEach(() => {
  vi.restoreAllMocks();
});

describe('trim()', () => {
  test('returns messages under the cap unchanged', () => {
    const messages = plain(10);
    const { trimmed, evicted, metrics } = trim({ max_messages: 20, preserve_last_n: 5 }, messages);
    expect(trimmed).toEqual(messages);
    expect(evicted).toEqual([]);
    expect(metrics).toMatchObject({ totalMessages: 10, preservedMessages: 10, evictedMessages: 0 });
  });

  test('returns messages exactly at the cap unchanged', () => {
    const messages = plain(20);
    expect(trim({ max_messages: 20, preserve_last_n: 5 }, messages)).toMatchObject({ trimmed: messages, evicted: [] });
  });

  test('returns an empty list for an empty list', () => {
    expect(trim({}, [])).toEqual({
      trimmed: [],
      evicted: [],
      metrics: { totalMessages: 0, preservedMessages: 0, evictedMessages: 0, estimatedTokens: 0 },
    });
  });

  test('keeps the first and last N, and the newest of the middle', () => {
    const messages = plain(30);
    const { trimmed, evicted } = trim({ max_messages: 10, preserve_first_n: 2, preserve_last_n: 5 }, messages);
    expect(trimmed).toEqual([...messages.slice(0, 2), ...messages.slice(22)]);
    expect(evicted).toEqual(messages.slice(2, 22));
  });

  test.each([1, 2])('keeps the task behind %i leading system messages, which come on top', (count) => {
    const system = Array.from({ length: count }, (_, i): Wire => ({ role: 'system', content: `be brief ${i}` }));
    const messages: Wire[] = [...system, ...plain(9)];
    const { trimmed } = trim({ max_messages: 6, preserve_first_n: 1, preserve_last_n: 2 }, messages);
    expect(trimmed).toEqual([...messages.slice(0, count + 1), ...messages.slice(count - 5)]);
    expect(trim({ max_messages: 6, preserve_first_n: 0, preserve_last_n: 2 }, messages).trimmed).toEqual([
      ...system,
      ...messages.slice(count - 6),
    ]);
  });

  test('keeps only head and tail, and warns, when they fill the cap', () => {
    const warn = vi.fn();
    const messages = plain(30);
    const window = new ConversationWindow<Wire>(
      { max_messages: 10, preserve_first_n: 4, preserve_last_n: 6 },
      { logger: { warn } },
    );
    expect(window.trim(messages).trimmed).toEqual([...messages.slice(0, 4), ...messages.slice(24)]);
    expect(warn).toHaveBeenCalledOnce();
    expect(warn.mock.calls[0]?.[0]).toMatch(/preserve_first_n.*preserve_last_n.*max_messages/);
  });

  test('keeps only head and tail when they exceed the cap', () => {
    const messages = plain(30);
    const { trimmed, evicted } = trim({ max_messages: 5, preserve_first_n: 4, preserve_last_n: 6 }, messages);
    expect(trimmed).toEqual([...messages.slice(0, 4), ...messages.slice(24)]);
    expect(trimmed.length + evicted.length).toBe(30);
  });

  test('keeps each message once when head and tail overlap', () => {
    const messages = plain(6);
    expect(trim({ max_messages: 5, preserve_first_n: 4, preserve_last_n: 4 }, messages)).toMatchObject({
      trimmed: messages,
      evicted: [],
    });
  });

  test('warns on the console when no logger is given, and not under the cap', () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const window = new ConversationWindow<Wire>({ max_messages: 10, preserve_first_n: 4, preserve_last_n: 6 });
    window.trim(plain(10));
    expect(warn).not.toHaveBeenCalled();
    window.trim(plain(11));
    expect(warn).toHaveBeenCalledOnce();
  });

  test('does nothing when max_messages is 0', () => {
    const messages = plain(500);
    expect(trim({ max_messages: 0 }, messages)).toMatchObject({ trimmed: messages, evicted: [] });
  });

  test('defaults to 100 messages, the first 1 and the last 20', () => {
    const messages = plain(150);
    const { trimmed, evicted } = trim({}, messages);
    expect(trimmed).toHaveLength(100);
    expect(trimmed[0]).toBe(messages[0]);
    expect(evicted).toEqual(messages.slice(1, 51));
    const small = trim({ max_messages: 22 }, messages); // 1 + 1 of the middle + 20
    expect(small.trimmed).toEqual([messages[0], ...messages.slice(129)]);
  });

  test('may keep no head and no tail', () => {
    const messages = plain(10);
    expect(trim({ max_messages: 4, preserve_first_n: 0, preserve_last_n: 0 }, messages).trimmed).toEqual(
      messages.slice(6),
    );
  });

  test('computes its metrics after trimming, and changes nothing that is passed in', () => {
    const messages = Object.freeze(plain(30).map(Object.freeze)) as readonly Wire[];
    const window = new ConversationWindow<Wire>({ max_messages: 10, preserve_last_n: 5 });
    const { trimmed, metrics } = window.trim(messages);
    expect(metrics).toEqual({
      totalMessages: 30,
      preservedMessages: 10,
      evictedMessages: 20,
      estimatedTokens: window.estimateTokens(trimmed),
    });
    expect(window.trim(messages)).toEqual(window.trim(messages));
  });
});

const turn = (n: number, results: number): Record<(typeof FORMATS)[number], Wire[]> => {
  const ids = Array.from({ length: results }, (_, i) => `id${n}_${i}`);
  const turns = {
    anthropic: [
      {
        role: 'assistant',
        content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: { file_path: 'a.ts' } })),
      },
      { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'text' })) },
    ],
    'openai-chat': [
      {
        role: 'assistant',
        content: null,
        tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'Read', arguments: '{}' } })),
      },
      ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'text' })),
    ],
    'openai-responses': [
      { type: 'reasoning', id: `rs_${n}`, summary: [] },
      ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'Read', arguments: '{}' })),
      ...ids.map((call_id) => ({ type: 'function_call_output', call_id, output: 'text' })),
    ],
  };
  return {
    ...turns,
    'ai-sdk': toAiSdk(turns['openai-chat'], 'openai-chat'),
    gemini: toGemini(turns.anthropic, 'anthropic').slice(1),
  };
};

describe.each(FORMATS)('trim() of tool turns in %s', (format) => {
  const history = [
    say(format, 'user', 'go'),
    ...Array.from({ length: 12 }, (_, i) => turn(i, 1 + (i % 3))[format]).flat(),
  ];

  test('never separates a call from its results, whatever the limits', () => {
    for (let max = 1; max <= history.length; max++) {
      for (let first = 0; first <= 4; first++) {
        for (let last = 0; last <= 8; last++) {
          const { trimmed, evicted } = trim(
            { max_messages: max, preserve_first_n: first, preserve_last_n: last },
            history,
          );
          const broken = violationsOf(format, trimmed, { part: true });
          expect(broken, `max ${max}, first ${first}, last ${last}`).toEqual([]);
          expect(trimmed.length + evicted.length).toBe(history.length);
          if (first + last < max && trimmed.length > max) {
            const tail = history.length - last;
            expect(trimmed.length, 'only a tail that grew to whole turns may exceed the cap').toBeLessThanOrEqual(
              first + history.length - tail + turn(0, 3)[format].length,
            );
          }
        }
      }
    }
  });

  test('the tail grows to whole turns and the middle gives way', () => {
    const chat = [...plain(21), ...turn(99, 2)[format]];
    const size = turn(99, 2)[format].length;
    const { trimmed } = trim({ max_messages: 8, preserve_first_n: 1, preserve_last_n: 1 }, chat);
    expect(trimmed).toEqual([chat[0], ...chat.slice(-7)]);
    const tight = trim({ max_messages: size + 1, preserve_first_n: 1, preserve_last_n: 1 }, chat);
    expect(tight.trimmed).toEqual([chat[0], ...chat.slice(-size)]);
  });

  test('the head shrinks to whole turns, never below the first message', () => {
    const chat = [{ role: 'user', content: 'go' }, ...turn(0, 2)[format], ...plain(20)];
    expect(trim({ max_messages: 6, preserve_first_n: 2, preserve_last_n: 2 }, chat).trimmed[1]).toEqual(
      chat[chat.length - 5],
    );
    expect(trim({ max_messages: 6, preserve_first_n: 2, preserve_last_n: 2 }, chat).trimmed[0]).toBe(chat[0]);
  });
});

describe('estimateTokens()', () => {
  const window = new ConversationWindow<Wire>();

  test('is the characters of texts divided by 4, rounded up', () => {
    expect(window.estimateTokens([])).toBe(0);
    expect(window.estimateTokens([{ role: 'user', content: 'abcd' }])).toBe(1);
    expect(
      window.estimateTokens([
        { role: 'user', content: 'abcde' },
        { role: 'assistant', content: 'abc' },
      ]),
    ).toBe(2);
    expect(window.estimateTokens([{ role: 'user', content: 'abcde' }])).toBe(2);
  });

  test('counts objects and blocks by their JSON', () => {
    const content = { question: 'why', depth: 3 };
    expect(window.estimateTokens([{ role: 'user', content }])).toBe(Math.ceil(JSON.stringify(content).length / 4));
    const blocks = [
      { type: 'text', text: 'hello' },
      { type: 'tool_use', id: 'a', name: 'Read', input: { file_path: 'a.ts' } },
    ];
    expect(window.estimateTokens([{ role: 'assistant', content: blocks }])).toBe(
      Math.ceil(JSON.stringify(blocks).length / 4),
    );
    const result = [{ type: 'tool_result', tool_use_id: 'a', content: 'x'.repeat(100) }];
    expect(window.estimateTokens([{ role: 'user', content: result }])).toBe(
      Math.ceil(JSON.stringify(result).length / 4),
    );
  });

  test('counts calls with their arguments', () => {
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'Read', arguments: '{"file_path":"a.ts"}' } }];
    expect(window.estimateTokens([{ role: 'assistant', content: null, tool_calls }])).toBe(
      Math.ceil(JSON.stringify(tool_calls).length / 4),
    );
  });

  test('counts mixed content, including null and missing content', () => {
    const mixed: Wire[] = [
      { role: 'user', content: 'abcd' },
      { role: 'user', content: { a: 1 } },
      { role: 'assistant', content: null },
      { role: 'assistant' },
    ];
    expect(window.estimateTokens(mixed)).toBe(Math.ceil((4 + 7) / 4));
    const blocks: Wire[] = [
      { role: 'user', content: { a: 1 } },
      { role: 'assistant', content: null },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] },
    ];
    expect(window.estimateTokens(blocks)).toBeGreaterThan(2);
  });

  test('counts items that are not messages', () => {
    const call = { type: 'function_call', call_id: 'a', name: 'Read', arguments: '{"file_path":"a.ts"}' };
    const output = { type: 'function_call_output', call_id: 'a', output: 'x'.repeat(100) };
    expect(window.estimateTokens([call, output])).toBeGreaterThanOrEqual(Math.ceil((4 + 20 + 100) / 4));
  });

  test('never counts base64 by its length', () => {
    const data = PIXEL.padEnd(400_000, 'A');
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
    const url = { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } };
    expect(window.estimateTokens([{ role: 'user', content: [image] }])).toBeLessThan(2_000);
    expect(window.estimateTokens([{ role: 'user', content: [url] }])).toBeLessThan(2_000);
    const input = { type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' };
    expect(window.estimateTokens([{ role: 'user', content: [input] }])).toBeLessThan(2_000);
  });
});

test('trim() accepts any input', () => {
  const odd = [
    { role: 'user' },
    { role: 'user', content: 7 },
    {},
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x' }] },
    { role: 'assistant', content: null },
  ] as unknown as Wire[];
  expect(trim({ max_messages: 3, preserve_first_n: 1, preserve_last_n: 1 }, odd).trimmed.length).toBeGreaterThanOrEqual(
    2,
  );
});
