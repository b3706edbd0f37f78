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
