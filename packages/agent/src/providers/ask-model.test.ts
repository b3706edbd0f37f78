import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createStandIn } from '@holdfast/stand-in';
import { afterEach, expect, test } from 'vitest';
import { createModelLookup } from './model-lookup.ts';

const KEY = 'sk-planted-key';
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('the endpoint is asked once an hour, even by concurrent callers', async () => {
  let asked = 0;
  let time = 0;
  const base_url = await serve((request, response) => {
    asked++;
    expect(request.url).toBe('/v1/models/claude-x%2F1');
    expect(request.headers['x-api-key']).toBe(KEY);
    response.end(JSON.stringify({ id: 'claude-x/1', max_input_tokens: 400_000, max_tokens: 64_000 }));
  });
  const lookup = createModelLookup({ provider: 'anthropic-api', base_url: `${base_url}/`, key: KEY, now: () => time });
  const answers = await Promise.all([lookup('claude-x/1'), lookup('claude-x/1')]);
  expect(answers).toEqual(Array(2).fill({ window: 400_000, max_output: 64_000 }));
  time = 3_599_999;
  await lookup('claude-x/1');
  expect(asked).toBe(1);
  time = 3_600_000;
  await lookup('claude-x/1');
  expect(asked).toBe(2);
});

test('compatible servers use other names for the window', async () => {
  const base_url = await serve((request, response) => {
    expect(request.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(request.url).toBe('/v1/models/qwen');
    response.end(JSON.stringify({ id: 'qwen', max_model_len: 32_768 }));
  });
  const lookup = createModelLookup({ provider: 'openai-api', base_url: `${base_url}/v1`, key: KEY });
  expect(await lookup('qwen')).toEqual({ window: 32_768 });
});

test('a failure has a reason without the key, and is retried after a minute', async () => {
  let time = 0;
  const answers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(401).end(`no such key: ${KEY}`),
    (response) => response.end('{ broken'),
    (response) => response.writeHead(302, { location: `http://127.0.0.1:1/?${KEY}` }).end(),
    (response) => response.end('{"id":"m","max_input_tokens":0}'),
    (response) => response.destroy(),
    () => {},
    (response) => response.end('{"max_input_tokens":5}'),
  ];
  const base_url = await serve((_, response) => answers.shift()?.(response));
  const lookup = createModelLookup({ provider: 'anthropic-api', base_url, key: KEY, now: () => time, timeout_ms: 200 });
  const failures = [];
  for (let i = 0; i < 6; i++) {
    const asked = await lookup('m');
    failures.push([asked.failure, asked.reason]);
    expect(await lookup('m')).toEqual(asked);
    time += 60_000;
  }
  expect(failures).toEqual([
    ['refused', 'the models endpoint answered 401'],
    ['unreadable', 'the request failed (SyntaxError)'],
    ['no-answer', 'the request failed (it redirects to another address)'],
    ['no-window', 'the answer does not include the context window'],
    ['no-answer', 'the request failed (the connection was closed)'],
    ['no-answer', 'no answer within 200 ms'],
  ]);
  expect(await lookup('m')).toEqual({ window: 5 });
});

test('an invalid address is a failure too, and a provider without a server an error', async () => {
  const lookup = createModelLookup({ provider: 'openai-api', base_url: 'nowhere' });
  expect(await lookup('m')).toEqual({ failure: 'no-answer', reason: 'the request failed (not a URL)' });
  expect(() => createModelLookup({ provider: 'claude-cli' })).toThrow('expected one of anthropic-api, openai-api');
});

test('the stand-in answers as the Anthropic API does', async () => {
  const server = await createStandIn();
  closing.push(() => server.close());
  const lookup = createModelLookup({ provider: 'anthropic-api', base_url: server.url, key: 'stand-in' });
  expect(await lookup('claude-opus-5-5')).toMatchObject({ window: 1_000_000 });
});
