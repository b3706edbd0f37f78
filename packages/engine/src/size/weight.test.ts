import { describe, expect, test } from 'vitest';
import { contentText } from '../content/text.ts';
import { dialectNamed } from '../dialects/detect.ts';
import { formatOf } from '../window/dialect.ts';
import { estimateTokens, loadOf, tokensOf, UNCALIBRATED } from './tokens.ts';

const BYTES = 'A'.repeat(900_000);
/** The header of a PNG of 10 x 10 pixels, and a lot of data after it. */
const PNG = `iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9${BYTES}`;
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: BYTES } };
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const said = (...content: object[]) => ({ role: 'assistant', content });
const result = (...content: object[]) => ({
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'a', content }],
});
const aiResult = (output: object) => ({ type: 'tool-result', toolCallId: 'a', toolName: 'a', output });

/** Messages with base64 in places of all kinds, and the most tokens that they may count as: a PDF of this size has 14 pages. */
const CASES: readonly (readonly [dialect: string, place: string, message: object, most: number])[] = [
  [
    'anthropic',
    'an image in a document of blocks',
    said({ type: 'document', source: { type: 'content', content: [image] } }),
    100,
  ],
  [
    'anthropic',
    'an image in a document in a result',
    result({ type: 'document', source: { type: 'content', content: [image] } }),
    100,
  ],
  [
    'anthropic',
    'a fetched PDF',
    said({ type: 'web_fetch_tool_result', content: { type: 'web_fetch_result', content: pdf } }),
    43_000,
  ],
  [
    'anthropic',
    'a page that was found',
    said({ type: 'web_search_tool_result', content: [{ type: 'web_search_result', encrypted_content: BYTES }] }),
    3_200,
  ],
  ['anthropic', 'a compaction', said({ type: 'compaction', content: 'so far', encrypted_content: BYTES }), 3_200],
  [
    'anthropic',
    'redacted thinking',
    said({ type: 'redacted_thinking', data: BYTES }, { type: 'text', text: 'a' }),
    3_200,
  ],
  ['anthropic', 'a signature', said({ type: 'thinking', thinking: 'a', signature: BYTES }), 100],
  ['anthropic', 'a block that nobody knows', said({ type: 'novelty', files: [{ blob: BYTES }] }), 3_200],
  [
    'openai-chat',
    'a video',
    { role: 'user', content: [{ type: 'video_url', video_url: { url: `data:video/mp4;base64,${BYTES}` } }] },
    43_000,
  ],
  [
    'openai-chat',
    'a picture in a result',
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'image', image: { data: PNG } }] },
    3_200,
  ],
  [
    'openai-responses',
    'what code has drawn',
    { type: 'code_interpreter_call', id: 'ci_1', outputs: [{ type: 'image', url: `data:image/png;base64,${PNG}` }] },
    400,
  ],
  [
    'openai-responses',
    'a part of a result',
    { type: 'function_call_output', call_id: 'a', output: [{ type: 'novelty', data: BYTES }] },
    3_200,
  ],
  [
    'ai-sdk',
    'what a tool of the provider found',
    said(aiResult({ type: 'json', value: [{ type: 'web_search_result', encryptedContent: BYTES }] })),
    3_200,
  ],
  [
    'ai-sdk',
    "a provider's own part",
    said({ type: 'custom', kind: 'a.compaction', providerOptions: { a: { encryptedContent: BYTES } } }),
    3_200,
  ],
  [
    'ai-sdk',
    'a custom item of a result',
    { role: 'tool', content: [aiResult({ type: 'content', value: [{ type: 'custom', data: BYTES }] })] },
    3_200,
  ],
];

describe('Base64 is never counted by its length', () => {
  test.each(CASES)('%s: %s', (name, _, message, most) => {
    const dialect = dialectNamed(name);
    const counts = [
      tokensOf(loadOf([dialect.read(message)]), UNCALIBRATED),
      estimateTokens([message], dialect),
      // A counter of the caller's is not given it either.
      tokensOf(
        loadOf([formatOf(dialect, { tokens: (text) => text.length }, true).dialect.read(message)]),
        UNCALIBRATED,
      ),
    ];
    for (const count of counts) expect(count).toBeLessThan(most);
  });

  test('its bytes count toward the size of a request', () => {
    const { read } = dialectNamed('anthropic');
    for (const [name, , message] of CASES)
      if (name === 'anthropic') expect(read(message).mediaSizes?.bytes ?? 900_000).toBeGreaterThanOrEqual(900_000);
    expect(
      read(result({ type: 'document', source: { type: 'content', content: [image, image] } })).mediaSizes?.images,
    ).toBe(2);
  });

  test('a deeply nested image counts toward the limits, too', () => {
    const [drawn] = CASES.filter(([, place]) => place === 'what code has drawn');
    expect(dialectNamed('openai-responses').read(drawn?.[2]).mediaSizes?.images).toBe(1);
  });

  test('text that looks like base64 counts as text', () => {
    const { read } = dialectNamed('anthropic');
    const text = 'x'.repeat(3_000);
    const given = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: text } };
    expect(read(result({ type: 'text', text: BYTES })).chars).toBe(900_000);
    expect(read({ role: 'user', content: [given] })).toMatchObject({ chars: 3_000, media: 0 });
    const odd = { type: 'odd', data: 'done', blob: `${text} `, signature: text };
    expect(contentText([odd])).toBe(`{"type":"odd","data":"done","blob":"[blob]","signature":"[signature]"}`);
    expect(contentText([{ ...odd, blob: 'two words '.repeat(20) }])).toContain('two words');
  });
});

describe('everything that is sent counts', () => {
  const LONG = 'and so on '.repeat(5_000);
  const call = { id: 'a', type: 'function', function: { name: 'a', arguments: '{}' } };
  const chat = (fields: object) => ({ role: 'assistant', content: 'a', ...fields });
  const cited = [{ type: 'char_location', cited_text: LONG, document_index: 0 }];
  const of = (dialect: string, message: object) =>
    tokensOf(loadOf([dialectNamed(dialect).read(message)]), UNCALIBRATED);

  test.each([
    ['openai-chat', 'reasoning', chat({ reasoning: LONG })],
    ['openai-chat', 'reasoning_content', chat({ reasoning_content: LONG })],
    [
      'openai-chat',
      'reasoning_details',
      chat({ reasoning_details: [{ type: 'reasoning.text', text: LONG, index: 0 }] }),
    ],
    [
      'openai-chat',
      'thinking_blocks',
      chat({ thinking_blocks: [{ type: 'thinking', thinking: LONG, signature: 'c2ln' }] }),
    ],
    ['openai-chat', 'what only one server knows', chat({ provider_specific_fields: { plan: [LONG] } })],
    ['openai-chat', 'a name', { role: 'user', content: 'a', name: LONG }],
    [
      'openai-chat',
      'beside a call',
      { role: 'assistant', content: null, tool_calls: [{ ...call, extra_content: { a: LONG } }] },
    ],
    ['openai-chat', 'beside a text', { role: 'user', content: [{ type: 'text', text: 'a', hint: LONG }] }],
    ['openai-chat', 'beside a result', { role: 'tool', tool_call_id: 'a', content: 'a', artifact: LONG }],
    ['anthropic', 'the context of a PDF', said({ ...pdf, source: { type: 'url', url: 'https://a' }, context: LONG })],
    [
      'anthropic',
      'the context of a text',
      said({ type: 'document', source: { type: 'text', data: 'a' }, context: LONG }),
    ],
    ['anthropic', 'the title of a document in a result', result({ ...pdf, title: LONG })],
    ['anthropic', 'beside a text', said({ type: 'text', text: 'a', annotation: LONG })],
    ['anthropic', 'beside a call', said({ type: 'tool_use', id: 'a', name: 'a', input: {}, hint: LONG })],
    [
      'anthropic',
      'beside a result',
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', hint: LONG }] },
    ],
    ['anthropic', 'beside the content', { ...said({ type: 'text', text: 'a' }), note: LONG }],
    [
      'openai-responses',
      'beside a call',
      { type: 'function_call', call_id: 'a', name: 'a', arguments: '{}', plan: LONG },
    ],
    ['openai-responses', 'beside an output', { type: 'function_call_output', call_id: 'a', output: 'a', plan: LONG }],
    ['openai-responses', 'beside a message', { role: 'user', content: 'a', plan: LONG }],
    ['openai-responses', 'beside reasoning', { type: 'reasoning', id: 'rs_a', summary: [], plan: LONG }],
    [
      'ai-sdk',
      "a document's context",
      said({ type: 'text', text: 'a', providerOptions: { anthropic: { context: LONG } } }),
    ],
    ['ai-sdk', 'beside the content', { role: 'user', content: 'a', providerOptions: { any: { plan: LONG } } }],
    ['ai-sdk', 'beside a call', said({ type: 'tool-call', toolCallId: 'a', toolName: 'a', input: {}, title: LONG })],
  ])('%s: %s', (dialect, _, message) => {
    const tokens = of(dialect, message);
    expect(tokens).toBeGreaterThan(LONG.length / 4);
    expect(estimateTokens([message], dialectNamed(dialect))).toBeGreaterThanOrEqual(LONG.length / 4);
  });

  test.each([
    ['anthropic', 'cited text', said({ type: 'text', text: 'a', citations: cited }), said({ type: 'text', text: 'a' })],
    [
      'anthropic',
      'a cache marker',
      said({ type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } }),
      said({ type: 'text', text: 'a' }),
    ],
    [
      'ai-sdk',
      'a cache marker',
      { role: 'user', content: 'a', providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
      { role: 'user', content: 'a' },
    ],
    [
      'openai-chat',
      'what says nothing',
      chat({ refusal: null, reasoning: '', annotations: [], audio: undefined }),
      chat({}),
    ],
  ])('%s: %s is free', (dialect, _, message, bare) => {
    expect(of(dialect, message)).toBe(of(dialect, bare));
  });
});
