import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqlite } from '@holdfast/sessions';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { runProxy, runUpstream } from './running.ts';
import { longOutput, runChat, runMessages, runResponses } from './tool-agents.ts';

const PLANTED = 'sk-ant-planted-4f9a1c';

test('a key appears in no event, status, metric, error or stored byte', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-keys-'));
  const standIn = await createStandIn({ script: toolLoop({ calls: 15, command: (n) => `seq ${n}` }) });
  const store = await sqlite(join(folder, 'sessions.db'));
  onTestFinished(async () => {
    await standIn.close();
    rmSync(folder, { recursive: true });
  });
  const { url, proxy, events } = await runProxy(standIn.url, { max_tokens: 9_000, store });
  const task = { url, key: PLANTED, prompt: 'Run the loop.', run: longOutput };
  for (const run of [runMessages, runChat, runResponses]) await run(task);
  const shown = [
    JSON.stringify(events),
    JSON.stringify(proxy.status()),
    await (await fetch(`${url}/holdfast/status`)).text(),
    await (await fetch(`${url}/metrics`)).text(),
  ];
  expect(events.filter(({ type }) => type === 'fold-end').length).toBeGreaterThan(2);

  const away = await runProxy('http://127.0.0.1:9', { limits: { body_bytes: 20 } });
  for (const [path, body] of [
    ['/v1/messages', '{}'],
    ['/v1/messages', '{"a":"too large to be read"}'],
    [`/${PLANTED}`, ''],
    [`/v1beta/models/gemini-3.8-flash:generateContent?key=${PLANTED}`, '{}'],
  ] as const) {
    const headers = { 'x-api-key': PLANTED, authorization: `Bearer ${PLANTED}`, cookie: PLANTED };
    shown.push(await (await fetch(away.url + path, { method: 'POST', body, headers })).text());
  }
  shown.push(JSON.stringify(away.events));
  await proxy.close();
  await store.close();
  const files = globSync('**/*', { cwd: folder }).map((file) => readFileSync(join(folder, file), 'latin1'));
  expect(files.join('').length).toBeGreaterThan(100_000);
  for (const text of [...shown, ...files]) expect(text.includes(PLANTED)).toBe(false);
});

test.each([
  ['x-api-key', (key: string) => ({ headers: { 'x-api-key': key } })],
  ['a bearer token', (key: string) => ({ headers: { authorization: `Bearer ${key}` } })],
  ['the query', (key: string) => ({ query: `?key=${key}` })],
])('the same history with another key, in %s, gets handles and a conversation of its own', async (_, withKey) => {
  const upstream = await runUpstream();
  const { url } = await runProxy(upstream.url, { max_tokens: 9_000 });
  const history = Array.from({ length: 12 }, (__, n) => [
    { role: 'user', parts: [{ text: n === 0 ? 'Go on.' : longOutput(`part ${n}`) }] },
    { role: 'model', parts: [{ text: `Answer ${n}.` }] },
  ]).flat();
  const contents = [...history, { role: 'user', parts: [{ text: 'And now?' }] }];
  const tools = [{ functionDeclarations: [{ name: 'bash' }] }];
  const scopeOf = async (key: string) => {
    const { headers = {}, query = '' } = withKey(key) as { headers?: Record<string, string>; query?: string };
    const path = `/v1beta/models/gemini-3.8-flash:generateContent${query}`;
    await fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ contents, tools }) });
    return /@([0-9a-z]{13})\b/.exec(String(upstream.reached.at(-1)?.body))?.[1];
  };
  const [mine, theirs, again] = [await scopeOf('one'), await scopeOf('two'), await scopeOf('one')];
  expect(mine).toBeDefined();
  expect(theirs).toBeDefined();
  expect([theirs === mine, again === mine]).toEqual([false, true]);
});

test('metrics name requests, folds, tokens and both costs', async () => {
  const standIn = await createStandIn({ script: toolLoop({ calls: 15, command: (n) => `seq ${n}` }) });
  onTestFinished(() => standIn.close());
  const { url, proxy } = await runProxy(standIn.url, { max_tokens: 9_000 });
  await runMessages({ url, prompt: 'Run the loop.', run: longOutput });
  await fetch(`${url}/v1/models`, { headers: { origin: 'https://evil.example' } });
  const response = await fetch(`${url}/metrics`);
  const text = await response.text();
  expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
  const { folds, tokens, dollars } = proxy.status().totals;
  for (const line of [
    'requests_total{api="anthropic"} 16',
    `folds_total{api="anthropic"} ${folds}`,
    `tokens_total{api="anthropic",kind="cacheRead"} ${tokens.cacheRead}`,
    `cost_dollars_total{way="proxied"} ${dollars.proxied}`,
    `cost_dollars_total{way="direct"} ${dollars.direct}`,
    'refusals_total{status="403"} 1',
    'active_requests 0',
    'conversations 1',
  ])
    expect(text).toContain(`\nholdfast_proxy_${line}\n`);
});
