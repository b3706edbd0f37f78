import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { SessionStore } from '@holdfast/sessions';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { bytesOf, runProxy, runUpstream } from './running.ts';
import { longOutput, runMessages, runResponses } from './tool-agents.ts';

const CALLS = 30;
const BUDGET = 15_000;
const task = { prompt: 'Run the loop.', run: longOutput };

async function runStandIn() {
  const script = toolLoop({ calls: CALLS, command: (n) => `seq ${n}` });
  const standIn = await createStandIn({ script, keep_bodies: 10_000 });
  onTestFinished(() => standIn.close());
  return standIn;
}

const conversation = (turns: number) => [
  { role: 'user', content: 'Run the loop.' },
  ...Array.from({ length: turns }, (_, i) => [
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `toolu_${i}`, name: 'bash', input: { command: `seq ${i}` } }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${i}`, content: longOutput(`seq ${i}`) }] },
  ]).flat(),
];

const post = (url: string, body: unknown, path = '/v1/messages') =>
  fetch(url + path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
  });

test('a proxy that lost its state sends refused thinking once more without it', async () => {
  const standIn = await runStandIn();
  const [before, after] = [
    await runProxy(standIn.url, { max_tokens: BUDGET }),
    await runProxy(standIn.url, { max_tokens: 900_000 }),
  ];
  let requests = 0;
  const switching: typeof fetch = (input, init) => {
    const to = ++requests <= 20 ? before.url : after.url;
    return fetch(String(input).replace(/^http:\/\/[^/]+/, to), init);
  };
  const { calls } = await runMessages({ ...task, url: before.url, fetch: switching });
  expect(calls).toBe(CALLS);
  expect(after.events.map(({ type }) => type)).toEqual(['thinking-retry']);
  expect(standIn.requests.filter(({ verdict }) => verdict !== 'answered')).toMatchObject([
    { status: 400, error: { message: expect.stringContaining('Invalid `signature` in `thinking` block') } },
  ]);
});

test('calls that another server of Gemini signed are sent once more without their signatures', async () => {
  const standIn = await runStandIn();
  const { url, events } = await runProxy(standIn.url);
  const call = { id: 'one', name: 'bash', args: { command: 'seq 1' } };
  const contents = [
    { role: 'user', parts: [{ text: 'Run the loop.' }] },
    { role: 'model', parts: [{ functionCall: call, thoughtSignature: Buffer.from('foreign').toString('base64') }] },
    { role: 'user', parts: [{ functionResponse: { id: 'one', name: 'bash', response: { output: '1' } } }] },
  ];
  const tools = [{ functionDeclarations: [{ name: 'bash', parametersJsonSchema: { type: 'object' } }] }];
  const response = await fetch(`${url}/v1beta/models/gemini-3.8-flash:generateContent`, {
    method: 'POST',
    body: JSON.stringify({ contents, tools }),
    headers: { 'x-goog-api-key': 'k', 'content-type': 'application/json' },
  });
  expect(response.status).toBe(200);
  expect(events.map(({ type }) => type)).toEqual(['thinking-retry']);
  expect(standIn.requests.map(({ status }) => status)).toEqual([400, 200]);
});

test('an error about anything else reaches the client unchanged, and does not count as an answer', async () => {
  const text = JSON.stringify({
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long' },
  });
  const upstream = await runUpstream((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json', 'request-id': 'r1' }).end(text);
  });
  const { url, proxy } = await runProxy(upstream.url);
  const response = await post(url, { model: 'claude-opus-5-5', messages: conversation(2) });
  expect([response.status, response.headers.get('request-id'), await response.text()]).toEqual([400, 'r1', text]);
  expect(upstream.reached).toHaveLength(1);
  expect(proxy.status().totals.requests).toBe(0);
});

test('an error that breaks off, or is too long to be about thinking, passes as it comes', async () => {
  const begun = 'x'.repeat(2_000_000);
  const upstream = await runUpstream((_, response) => {
    response.writeHead(400, { 'content-length': 2 * begun.length });
    response.write(begun);
    upstream.reached.length = 0;
    upstream.server.once('request', () => response.destroy());
  });
  const { url, events } = await runProxy(upstream.url);
  const asked = { model: 'claude-opus-5-5', messages: conversation(2) };
  const response = await post(url, asked);
  expect(response.status).toBe(400);
  const next = post(url, asked);
  await expect(response.text()).rejects.toThrow();
  await (await next).body?.cancel();
  expect(events.map(({ type }) => type)).toEqual(['answer-fail', 'answer-fail']);
});

test('a client that leaves while it does not read an error ends the request', async () => {
  const upstream = await runUpstream((_, response) => response.writeHead(400).end(Buffer.alloc(64_000_000, 'x')));
  const { url, proxy } = await runProxy(upstream.url);
  const leaving = new AbortController();
  const body = JSON.stringify({ model: 'claude-opus-5-5', messages: conversation(2) });
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', body, signal: leaving.signal });
  expect([response.status, proxy.status().active]).toEqual([400, 1]);
  leaving.abort();
  await expect.poll(() => proxy.status().active).toBe(0);
});

test('an invalid history goes out as the last view and what is new, with the markers of what is new', async () => {
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url, { max_tokens: BUDGET });
  const model = 'claude-opus-5-5';
  const cache_control = { type: 'ephemeral' };
  const good = conversation(20);
  const marked = { role: 'user', content: [{ type: 'text', text: 'And now?', cache_control }] };
  const unmarked = { role: 'user', content: [{ type: 'text', text: 'And now?' }] };
  await post(url, { model, messages: [...good, { role: 'assistant', content: 'Done.' }, marked] });
  const lost = { type: 'tool_result', tool_use_id: 'toolu_none', content: 'lost', cache_control };
  const tail = [
    { role: 'assistant', content: 'Nothing.' },
    { role: 'user', content: [lost] },
  ];
  await post(url, { model, messages: [...good, { role: 'assistant', content: 'Done.' }, unmarked, ...tail] });
  expect(events).toMatchObject([{ type: 'fold-end' }, { type: 'view-fail', code: 'INVALID_HISTORY' }]);
  const [view = [], next] = upstream.reached.map(({ body }) => JSON.parse(body.toString()).messages as unknown[]);
  expect(view.length).toBeLessThan(good.length);
  expect(view.at(-1)).toEqual(marked);
  expect(next).toEqual([...view.slice(0, -1), unmarked, ...tail]);
});

test('a history that cannot be made small enough is sent unchanged', async () => {
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url, { max_tokens: 2_000 });
  const body = JSON.stringify({
    model: 'claude-opus-5-5',
    messages: [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: longOutput('pasted').repeat(3) },
    ],
  });
  await post(url, body);
  expect(events).toMatchObject([{ type: 'view-fail', code: 'OVER_BUDGET' }]);
  expect(upstream.reached[0]?.body.toString()).toBe(body);
});

test('a budget that leaves too little room passes through, with one warning', async () => {
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url, { max_tokens: BUDGET });
  const body = JSON.stringify({ model: 'claude-opus-5-5', system: 'x'.repeat(25_000), messages: conversation(20) });
  await post(url, body);
  await post(url, body);
  expect(events).toMatchObject([
    { type: 'budget-small', max_tokens: BUDGET, reserve: expect.any(Number), needed: expect.any(Number) },
  ]);
  expect(upstream.reached.map((one) => one.body.toString())).toEqual([body, body]);
});

test('a conversation that was folded stays so when its tools outgrow the budget', async () => {
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url, { max_tokens: BUDGET });
  const model = 'claude-opus-5-5';
  await post(url, { model, messages: conversation(20) });
  const tools = [{ name: 'bash', description: 'x'.repeat(25_000), input_schema: { type: 'object' } }];
  await post(url, { model, tools, messages: conversation(21) });
  expect(events.map(({ type }) => type)).toEqual(['fold-end', 'budget-small']);
  const [view, next] = upstream.reached.map(({ body }) => JSON.parse(body.toString()).messages as unknown[]);
  expect(next).toEqual([...(view ?? []), ...conversation(21).slice(-2)]);
});

test('a store that never answers does not block requests forever', async () => {
  const never = () => new Promise<never>(() => undefined);
  const store = { list: never, info: never, close: async () => undefined } as unknown as SessionStore;
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url, { store, limits: { store_ms: 500 } });
  await post(url, { model: 'claude-opus-5-5', messages: conversation(2) });
  expect(upstream.reached).toHaveLength(1);
  expect(events).toMatchObject([{ type: 'view-fail', message: 'the store did not answer within 0.5 s' }]);
});

test('without a store that works, conversations are folded in memory, and name nothing that is not stored', async () => {
  const upstream = await runUpstream();
  const failing = () => Promise.reject(new Error('disk full'));
  const broken = { list: failing, info: failing } as unknown as SessionStore;
  const { url, events } = await runProxy(upstream.url, { max_tokens: BUDGET, store: broken });
  for (const turns of [20, 21]) {
    await post(url, { model: 'claude-opus-5-5', messages: conversation(turns) });
  }
  expect(events).toMatchObject([
    { type: 'fold-end' },
    { type: 'view-fail', code: 'BAD_STORE', message: expect.stringContaining('disk full') },
    { type: 'view-fail', code: 'BAD_STORE' },
  ]);
  const [view = [], next = []] = upstream.reached.map(({ body }) => JSON.parse(body.toString()).messages as unknown[]);
  expect(view.length).toBeLessThan(conversation(20).length);
  expect(next).toEqual([...view, ...conversation(21).slice(-2)]);
  expect(JSON.stringify(view)).not.toMatch(/\bm\d+(?:\.\d+|-m\d+)?@/);
});

test.each([
  ['not JSON', '/v1/messages', '{"messages": ['],
  ['no messages', '/v1/messages', '{"model":"m"}'],
  ['messages that are none', '/v1/messages', '{"messages":[1,"x",null]}'],
  ['text as input', '/v1/responses', '{"input":"Hello"}'],
  ['a list', '/v1/chat/completions', '[1]'],
  ['no body', '/v1/messages', ''],
])('what is not a conversation passes byte for byte: %s', async (_, path, body) => {
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url);
  const response = await post(url, body, path);
  expect(response.status).toBe(200);
  expect(upstream.reached).toMatchObject([{ url: path, body: Buffer.from(body) }]);
  expect(events).toEqual([]);
});

const ITEMS = [
  { role: 'user', content: 'Go.' },
  ...Array.from({ length: 20 }, (_, i) => [
    { type: 'function_call', call_id: `c${i}`, name: 'bash', arguments: '{}' },
    { type: 'function_call_output', call_id: `c${i}`, output: longOutput(`seq ${i}`) },
  ]).flat(),
];
const CONTENTS = Array.from({ length: 21 }, (_, i) => [
  { role: 'user', parts: [{ text: longOutput(`seq ${i}`) }] },
  { role: 'model', parts: [{ text: 'Done.' }] },
]).flat();
const GEMINI = '/v1beta/models/gemini-3.8-flash:generateContent';

test.each([
  ['/v1/responses', { input: ITEMS, previous_response_id: 'resp_1' }],
  ['/v1/responses', { input: ITEMS, conversation: 'conv_1' }],
  ['/v1/responses', { input: ITEMS, background: true }],
  ['/v1/responses', { input: [...ITEMS, { type: 'compaction_trigger' }] }],
  ['/v1/responses', { input: [{ type: 'item_reference', id: 'item_1' }, ...ITEMS] }],
  ['/v1/messages', { messages: conversation(20), thread: { id: 'thread_1' } }],
  [GEMINI, { contents: CONTENTS, cachedContent: 'cachedContents/1' }],
])('what the server keeps passes byte for byte: %s, case %#', async (path, fields) => {
  const upstream = await runUpstream();
  const { url } = await runProxy(upstream.url, { max_tokens: 3_000 });
  const body = JSON.stringify({ model: 'gpt-6-sol', ...fields });
  await post(url, body, path);
  expect(upstream.reached[0]?.body.toString()).toBe(body);
});

test.each([
  ['/v1/responses', { input: ITEMS }],
  ['/v1/messages', { messages: conversation(20), thread: false }],
  [GEMINI, { contents: CONTENTS }],
])('the same is folded if the server keeps nothing: %s', async (path, fields) => {
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url, { max_tokens: 3_000 });
  await post(url, { model: 'gpt-6-sol', ...fields }, path);
  expect(events).toMatchObject([{ type: 'fold-end' }]);
});

test.each([
  ['with a length', true],
  ['in chunks', false],
])('a body over the limit passes as a stream, unread: %s', async (_, isAnnounced) => {
  const upstream = await runUpstream();
  const { url, events } = await runProxy(upstream.url, { limits: { body_bytes: 100_000 }, max_tokens: 3_000 });
  const body = Buffer.from(JSON.stringify({ model: 'claude-opus-5-5', messages: conversation(40) }));
  const request = httpRequest(`${url}/v1/messages`, { method: 'POST' });
  if (isAnnounced) request.setHeader('content-length', body.length);
  for (let at = 0; at < body.length; at += 30_000) request.write(body.subarray(at, at + 30_000));
  request.end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  expect((await bytesOf(answer)).toString()).toBe('{}');
  expect(upstream.reached[0]?.body.equals(body)).toBe(true);
  expect(upstream.reached[0]?.headers['content-length']).toBe(isAnnounced ? `${body.length}` : undefined);
  expect(events).toMatchObject([
    { type: 'view-fail', code: 'OVER_BUDGET', message: expect.stringContaining('more than 100000 bytes') },
  ]);
});

test('a compressed request is folded, too', async () => {
  const { gzipSync } = await import('node:zlib');
  const upstream = await runUpstream();
  const { url } = await runProxy(upstream.url, { max_tokens: BUDGET });
  const send = (turns: number) =>
    fetch(`${url}/v1/messages`, {
      method: 'POST',
      body: gzipSync(JSON.stringify({ model: 'claude-opus-5-5', messages: conversation(turns) })),
      headers: { 'x-api-key': 'k', 'content-encoding': 'gzip' },
    });
  await send(2);
  await send(20);
  const [whole, folded] = upstream.reached;
  expect([whole?.headers['content-encoding'], folded?.headers['content-encoding']]).toEqual(['gzip', undefined]);
  expect(JSON.parse(folded?.body.toString() ?? '').messages.length).toBeLessThan(41);
});

test('conversations side by side fold as they do alone', async () => {
  const alone = await runStandIn();
  const single = await runProxy(alone.url, { max_tokens: BUDGET });
  await runResponses({ ...task, url: single.url });
  const folds = single.events.length;
  const standIn = await runStandIn();
  const { url, events } = await runProxy(standIn.url, { max_tokens: BUDGET });
  const runs = [1, 2, 3].map((n) => runResponses({ ...task, url, prompt: `Run the loop. ${n}` }));
  for (const { calls } of await Promise.all(runs)) expect(calls).toBe(CALLS);
  expect(events.filter(({ type }) => type === 'fold-end')).toHaveLength(3 * folds);
  expect(standIn.requests.every(({ verdict }) => verdict === 'answered')).toBe(true);
});
