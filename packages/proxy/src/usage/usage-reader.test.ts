import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createUsageReader } from './usage-reader.ts';

const STREAM = ['content-type', 'text/event-stream; charset=utf-8'];
const JSON_TYPE = ['Content-Type', 'application/json'];

/** The usage that a reader finds in bytes that come in pieces of `size`. */
function read(headers: readonly string[], bytes: Uint8Array, size = 7): Promise<unknown> {
  return new Promise((resolve) => {
    const reader = createUsageReader(headers, resolve);
    for (let i = 0; i < bytes.length; i += size) reader.write(bytes.subarray(i, i + size));
    reader.end();
  });
}

const events = (...all: unknown[]) =>
  Buffer.from(
    all.map((one) => `event: x\r\ndata: ${typeof one === 'string' ? one : JSON.stringify(one)}\r\n\r\n`).join(''),
  );

const MESSAGE = events(
  { type: 'message_start', message: { usage: { input_tokens: 3, cache_read_input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_delta', delta: { text: 'ü 🙂 {"usage":{"input_tokens":77}} "type":"message_stop"' } },
  { type: 'message_delta', usage: { output_tokens: 40, input_tokens: null } },
  { type: 'message_stop' },
);

test('Anthropic events: the start and the later figures', async () => {
  const usage = { input_tokens: 3, cache_read_input_tokens: 9, output_tokens: 40 };
  for (const size of [1, 7, 10_000]) expect(await read(STREAM, MESSAGE, size)).toEqual(usage);
  // A client that hangs up early has still paid for its prompt.
  expect(await read(STREAM, MESSAGE.subarray(0, 200))).toEqual({ ...usage, output_tokens: 1 });
});

test('an encoding that nobody knows leaves the usage unread', async () => {
  for (const encoding of ['odd', 'gzip, br', 'constructor', '__proto__'])
    expect(await read([...STREAM, 'content-encoding', encoding], MESSAGE)).toBeUndefined();
});

test('Chat Completions and Responses events', async () => {
  const chat = events({ choices: [{}], usage: null }, { choices: [], usage: { prompt_tokens: 5 } }, '[DONE]');
  expect(await read(STREAM, chat)).toEqual({ prompt_tokens: 5 });
  expect(await read(STREAM, events({ choices: [{}] }, '[DONE]'))).toBeUndefined();
  const created = { type: 'response.created', response: { usage: null } };
  const completed = { type: 'response.completed', response: { output: ['"usage"'], usage: { input_tokens: 8 } } };
  expect(await read(STREAM, events(created, completed))).toEqual({ input_tokens: 8 });
});

test('Gemini: chunks of a stream, and a body', async () => {
  const [first, last] = [{ promptTokenCount: 5 }, { promptTokenCount: 5, cachedContentTokenCount: 4 }];
  const chunks = events({ candidates: [{}], usageMetadata: first }, { candidates: [{}], usageMetadata: last });
  expect(await read(STREAM, chunks)).toEqual(last);
  expect(await read(JSON_TYPE, Buffer.from(JSON.stringify({ candidates: [], usageMetadata: last })))).toEqual(last);
});

test('usage is known at the last event, before the answer ends', () => {
  let usage: unknown;
  const reader = createUsageReader(STREAM, (found) => {
    usage = found;
  });
  reader.write(events({ type: 'response.completed', response: { usage: { input_tokens: 8 } } }));
  expect(usage).toEqual({ input_tokens: 8 });
});

test('JSON, and answers without usage', async () => {
  expect(await read(JSON_TYPE, Buffer.from('{"id":1,"usage":{"input_tokens":2}}'))).toEqual({ input_tokens: 2 });
  for (const odd of ['', '{"usage":', '[]', 'null', '{"usage":7}', '<html>'])
    expect(await read(JSON_TYPE, Buffer.from(odd))).toBeUndefined();
  expect(await read(STREAM, Buffer.from('data: {"usage"\n\ndata: nonsense "usage"\n\n'))).toBeUndefined();
});

test.each([
  ['gzip', gzipSync(MESSAGE)],
  ['br', brotliCompressSync(MESSAGE)],
  ['zstd', zstdCompressSync(MESSAGE)],
])('compressed answers: %s', async (encoding, packed) => {
  const headers = [...STREAM, 'Content-Encoding', encoding];
  expect(await read(headers, packed)).toMatchObject({ output_tokens: 40 });
  expect(await read(headers, Buffer.from('not packed'))).toBeUndefined();
  expect(await read([...STREAM, 'content-encoding', 'odd'], packed)).toBeUndefined();
});
