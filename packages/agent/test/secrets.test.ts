import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { codingTask, type StandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import type { Logger, Tool } from '../src/index.ts';
import { createRedactor } from '../src/providers/secrets.ts';
import { APIS, KEY, standing } from './apis.ts';
import { sources, workshop } from './workshop.ts';

/** A server that answers with this status and says the headers that it was sent. */
async function echoing(status: number): Promise<StandIn> {
  const server = createServer((request, response) => {
    const message = `no: ${JSON.stringify(request.headers)}`;
    response.writeHead(status, { 'content-type': 'application/json', 'x-echo': KEY });
    response.end(JSON.stringify({ type: 'error', error: { type: 'some_error', message } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url } as StandIn;
}

function collecting(into: string[]): Logger {
  const line = (text: string) => void into.push(text);
  return { debug: line, info: line, warn: line };
}

const STATUSES = [
  [400, 'invalid_request'],
  [401, 'auth'],
  [403, 'auth'],
  [404, 'invalid_request'],
  [429, 'rate_limit'],
  [500, 'network'],
  [503, 'overloaded'],
  [529, 'overloaded'],
] as const;

test.each(APIS)('$name: each refusal has its category, and the key is in none that says it again', async (api) => {
  for (const [status, category] of STATUSES) {
    const lines: unknown[] = [];
    const provider = api.provider(await echoing(status), { model: api.models[0], max_retries: 1 });
    const result = await provider.execute('Hello.', {
      logger: collecting(lines as string[]),
      onEvent: (event) => lines.push(event),
    });
    expect(result, String(status)).toMatchObject({ success: false, errorCategory: category });
    expect(result.error).toContain('no: ');
    expect(JSON.stringify([result, lines])).not.toContain(KEY);
  }
});

test.each(APIS)('$name: a key that a tool gives out is in no receipt, log or state', async (api) => {
  const folder = sources({ 'src/a.ts': `${'const a_line_of_code = 1;\n'.repeat(30)}export const key = 1;` });
  const standIn = await standing({ script: codingTask(folder, { calls: 40, seed: 2 }), keep_bodies: 1_000 });
  const { tools } = workshop(folder);
  const leaking = tools.map(
    (tool): Tool => ({ ...tool, run: async (...given) => `${KEY}\n${await tool.run(...given)}` }),
  );
  const lines: unknown[] = [];
  const provider = api.provider(standIn, { model: api.models[0], tools: leaking });
  const result = await provider.execute('Improve the sources.', {
    conversation: { max_messages: 20, preserve_last_n: 6 },
    logger: collecting(lines as string[]),
    onEvent: (event) => lines.push(event),
  });
  expect(result.success).toBe(true);
  expect(result.folds).toBeGreaterThan(0);
  expect(JSON.stringify([result, lines, standIn.requests])).not.toContain(KEY);
});

const PLACEHOLDERS = [
  'ollama',
  'lm-studio',
  'sk-no-key-required',
  'your-api-key-here',
  'test-key-12345',
  `sk-${'x'.repeat(40)}`,
];

test.each(PLACEHOLDERS)('%s in the place of a key changes nothing that a tool reads', (key) => {
  const source = `import client from "${key}";`;
  const { text, message } = createRedactor(key);
  expect(text(source)).toBe(source);
  expect(message(source)).not.toContain(key);
});

const REAL = [
  KEY,
  'sk-ant-api03-Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4-AbCdEf',
  'gsk_QwErTyUiOpAsDfGhJkLz',
  '3f786850e387550fdab836ed7e6dc881',
  'AbCdEfGhIjKlMnOpQrStUvWx',
  'sk-test-51HxYzAbCdEfGhIjKlMnOp',
  'sk-test-a8f3k2l9',
  'abcdefghijklmnopqrstuvwxyzabcdefgh',
];

test.each(REAL)('%s is a key, and is taken out', (key) => {
  expect(createRedactor(key).text(`key = ${key};`)).toBe('key = [key];');
});

test.each(APIS)('$name: nobody there is a failure of the network, after the retries that were allowed', async (api) => {
  const gone = await standing({});
  await gone.close();
  const retries: unknown[] = [];
  const provider = api.provider(gone, { model: api.models[0], max_retries: 2 });
  const result = await provider.execute('Hello.', { onEvent: (event) => retries.push(event.type) });
  expect(result).toMatchObject({ success: false, errorCategory: 'network', requests: 3 });
  expect(result.error).toContain('nothing listens there: ECONNREFUSED');
  expect(result.error).toContain(`at ${gone.url}`);
  expect(retries.filter((type) => type === 'request-retry')).toHaveLength(2);
});
