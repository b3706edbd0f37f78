import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { codingTask, type StandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { folderOutputs, type Logger, type Tool } from '../src/index.ts';
import { createRedactor } from '../src/loop/redactor.ts';
import { APIS, KEY, standing } from './apis.ts';
import { fileTools, sources } from './file-tools.ts';
import { toolsInWorkspace } from './tools/tools-in-workspace.ts';

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

test.each(APIS)('$name: each rejection has its category, and none repeats the key', async (api) => {
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

test.each(APIS)('$name: a key in a tool result is in no receipt, log or state', async (api) => {
  const folder = sources({ 'src/a.ts': `${'const a_line_of_code = 1;\n'.repeat(30)}export const key = 1;` });
  const standIn = await standing({ script: codingTask(folder, { calls: 40, seed: 2 }), keep_bodies: 1_000 });
  const { tools } = fileTools(folder);
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

test('the key is in no stored output, wherever its bytes are split', () => {
  const bytes = Buffer.from(`é ${KEY}${KEY} ${KEY.slice(0, -1)} ${KEY.slice(1)} ${KEY} é`);
  const clean = createRedactor(KEY, KEY.slice(0, 20)).text(bytes.toString());
  expect(clean).not.toContain(KEY);
  for (let step = 1; step <= bytes.length; step++) {
    const filter = createRedactor(KEY, KEY.slice(0, 20)).bytes();
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += step) parts.push(filter.write(bytes.subarray(at, at + step)));
    expect(Buffer.concat([...parts, filter.end()]).toString(), `parts of ${step}`).toBe(clean);
  }
});

/** Prints the key in pieces, so that it crosses every buffer boundary. */
const PRINTER = `
const key = process.env.PIECES.split('|').join('');
let text = '';
for (let i = 0; i < 400; i++) text += 'x'.repeat(i % 97) + key + '\\n';
const put = (at) => at < text.length && process.stdout.write(text.slice(at, at + 13), () => put(at + 13));
put(0);
`;

test.each(APIS)('$name: the key in use is in no output file and in no recalled part', async (api) => {
  const place = await toolsInWorkspace({}, { 'print.cjs': PRINTER, 'key.txt': `${KEY}\n`.repeat(400) });
  const outputs = join(place.base, 'outputs');
  const env = { PATH: process.env.PATH ?? '', PIECES: KEY.match(/.{1,3}/g)?.join('|') ?? '' };
  const { tools } = await toolsInWorkspace({
    outputs: folderOutputs(outputs),
    max_output_chars: 1_000,
    env,
    workspace: place.workspace,
  });
  const calls = [
    { name: 'run_command', input: { command: `"${process.execPath}" print.cjs` } },
    { name: 'run_command', input: { command: 'cat key.txt >&2' } },
    { name: 'search_files', input: { pattern: '-' } },
    ...Array.from({ length: 40 }, (_, i) => ({ name: 'recall', input: { handle: 'o1', offset: 10 * i, length: 10 } })),
  ];
  const standIn = await standing({
    keep_bodies: 1_000,
    script: () => {
      const call = calls.shift();
      return call ? { text: 'On.', calls: [call] } : { text: 'Done.' };
    },
  });
  const provider = api.provider(standIn, { model: api.models[0], tools });
  const result = await provider.execute('Look.', { conversation: { max_messages: 0 } });
  expect(result.success).toBe(true);
  const files = readdirSync(outputs).map((name) => readFileSync(join(outputs, name), 'utf8'));
  expect(files.length).toBeGreaterThanOrEqual(2);
  for (const text of [...files, JSON.stringify(standIn.requests)]) {
    expect(text).toContain('[key]');
    expect(text).not.toContain(KEY.slice(0, 12));
    expect(text).not.toContain(KEY.slice(-12));
  }
});

const PLACEHOLDERS = [
  'ollama',
  'lm-studio',
  'sk-no-key-required',
  'your-api-key-here',
  'test-key-12345',
  `sk-${'x'.repeat(40)}`,
];

test.each(PLACEHOLDERS)('%s as a key changes nothing in tool results', (key) => {
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

test.each(REAL)('%s is a key, and is removed', (key) => {
  expect(createRedactor(key).text(`key = ${key};`)).toBe('key = [key];');
});

test.each(APIS)('$name: an unreachable server is a network failure, after the allowed retries', async (api) => {
  const gone = await standing({});
  await gone.close();
  const retries: unknown[] = [];
  const provider = api.provider(gone, { model: api.models[0], max_retries: 2 });
  const result = await provider.execute('Hello.', { onEvent: (event) => retries.push(event.type) });
  expect(result).toMatchObject({ success: false, errorCategory: 'network', requests: 3 });
  expect(result.error).toContain('nothing is listening there: ECONNREFUSED');
  expect(result.error).toContain(`at ${gone.url}`);
  expect(retries.filter((type) => type === 'request-retry')).toHaveLength(2);
});
