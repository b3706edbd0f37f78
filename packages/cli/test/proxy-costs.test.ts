import { createInspector } from '@holdfast/inspector';
import type { SessionDetail } from '@holdfast/inspector/api';
import { sqlite } from '@holdfast/sessions';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { runProxy } from '../../proxy/test/running.ts';
import { longOutput, runChat, runGemini, runMessages, runResponses, type Task } from '../../proxy/test/tool-agents.ts';
import { modelLookup } from '../src/ui/model-lookup.ts';

const TASK = { prompt: 'Run the loop.', run: longOutput };

/** Sends no marker, so that the API caches nothing. */
const runUncached = (task: Task) =>
  runMessages({
    ...task,
    fetch: (url, init) => {
      const { cache_control: _, ...body } = JSON.parse(String(init?.body)) as Record<string, unknown>;
      return fetch(url, { ...init, body: JSON.stringify(body) });
    },
  });

test.each([
  ['Messages', runMessages],
  ['Messages without a cache', runUncached],
  ['Chat Completions', runChat],
  ['Responses', runResponses],
  ['Gemini', runGemini],
])('the proxy, its store and the inspector agree on all requests and costs: %s', async (_, runAgent) => {
  const standIn = await createStandIn({ script: toolLoop({ calls: 24, command: (n) => `seq ${n}` }) });
  const store = await sqlite(':memory:');
  const inspector = createInspector({ store, host: 'proxy', version: '0', models: modelLookup() });
  onTestFinished(async () => {
    await inspector.close();
    await store.close();
    await standIn.close();
  });
  const { url, proxy } = await runProxy(standIn.url, { max_tokens: 15_000, store });
  await runAgent({ ...TASK, url });
  await proxy.close();
  const [stored, ...others] = await store.list();
  const { totals, conversations } = proxy.status();
  const [conversation] = conversations;
  expect([others, conversations.length]).toEqual([[], 1]);
  const detail = `http://127.0.0.1/inspect/api/sessions/${stored?.id}`;
  const answer = await inspector.fetch(new Request(detail, { headers: { host: '127.0.0.1' } }));
  const { costs, calls, folds } = (await answer.json()) as SessionDetail;
  expect(folds).toBeGreaterThan(1);
  expect([calls, folds]).toEqual([conversation?.requests, conversation?.folds]);
  expect([calls, folds]).toEqual([25, totals.folds]);
  for (const { proxied, direct } of [totals.dollars, conversation?.costs ?? totals.units]) {
    expect(costs.spent).toBeCloseTo(proxied, 10);
    expect(stored?.cost).toBeCloseTo(proxied, 10);
    expect(costs.everything).toBeCloseTo(direct, 10);
  }
  expect(costs.spent).toBeLessThan(0.9 * (costs.everything ?? 0));
});

test('conversations that branch off cost what their own requests cost', async () => {
  const standIn = await createStandIn({ script: toolLoop({ calls: 24, command: (n) => `seq ${n}` }) });
  const store = await sqlite(':memory:');
  const inspector = createInspector({ store, host: 'proxy', version: '0', models: modelLookup() });
  onTestFinished(async () => {
    await inspector.close();
    await store.close();
    await standIn.close();
  });
  const { url, proxy } = await runProxy(standIn.url, { max_tokens: 15_000, store });
  const send = async (messages: readonly unknown[]) => {
    const body = { model: 'claude-opus-5-5', max_tokens: 4_000, tools: TOOLS, messages, ...CACHED };
    const headers = { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(response.status).toBe(200);
    await response.text();
  };
  const { history } = await runMessages({ ...TASK, url });
  for (const [at, question] of [
    [41, 'What was the first command?'],
    [45, 'What was the last command?'],
  ] as const) {
    const branch = [...history.slice(0, at - 1), withWords(history[at - 1], question)];
    await send(branch);
  }
  await proxy.close();
  const stored = await store.list();
  const { totals, conversations } = proxy.status();
  expect([totals.requests, stored.length]).toEqual([27, conversations.length]);
  expect(stored.length).toBeGreaterThan(1);
  let [spent, everything, listed] = [0, 0, 0];
  for (const { id, cost } of stored) {
    const detail = `http://127.0.0.1/inspect/api/sessions/${id}`;
    const answer = await inspector.fetch(new Request(detail, { headers: { host: '127.0.0.1' } }));
    const { costs } = (await answer.json()) as SessionDetail;
    expect(costs.spent).toBeCloseTo(cost, 10);
    [spent, everything, listed] = [spent + (costs.spent ?? 0), everything + (costs.everything ?? 0), listed + cost];
  }
  const { proxied, direct } = totals.dollars;
  expect([spent, listed, everything]).toEqual([proxied, proxied, direct].map((value) => expect.closeTo(value, 10)));
});

const CACHED = { cache_control: { type: 'ephemeral' } };
const TOOLS = [
  {
    name: 'bash',
    input_schema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
];

/** A message of results with these words of the user. */
function withWords(message: unknown, text: string) {
  const { role, content } = message as { readonly role: string; readonly content: readonly unknown[] };
  return { role, content: [...content, { type: 'text', text }] };
}
