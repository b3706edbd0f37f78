import { describe, expect, test } from 'vitest';
import { contentText } from './content.ts';
import { dialectNamed } from './dialects/detect.ts';
import { countedBy, estimateTokens, loadOf, tokensOf, UNCALIBRATED } from './tokens.ts';

const BYTES = 'A'.repeat(900_000);
/** The head of a PNG of 10 x 10 pixels, and much behind it. */
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
      tokensOf(loadOf([countedBy(dialect, (text) => text.length).read(message)]), UNCALIBRATED),
    ];
    for (const count of counts) expect(count).toBeLessThan(most);
  });

  test('its bytes count for the size of a request', () => {
    const { read } = dialectNamed('anthropic');
    for (const [name, , message] of CASES)
      if (name === 'anthropic') expect(read(message).bulk?.bytes ?? 900_000).toBeGreaterThanOrEqual(900_000);
    expect(read(result({ type: 'document', source: { type: 'content', content: [image, image] } })).bulk?.images).toBe(
      2,
    );
  });

  test('an image that lies deep is one for the limits, too', () => {
    const [drawn] = CASES.filter(([, place]) => place === 'what code has drawn');
    expect(dialectNamed('openai-responses').read(drawn?.[2]).bulk?.images).toBe(1);
  });

  test('a text that is said stays what it is', () => {
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
