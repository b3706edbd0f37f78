import { costOf, modelInfo, promptOf, tokensOf } from '@holdfast/models';
import { createStandIn, type StandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, runProxy, runUpstream } from './running.ts';
import { longOutput, runChat, runGemini, runMessages, runResponses } from './tool-agents.ts';

const CALLS = 30;
const BUDGET = 15_000;
const NONE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const task = { prompt: 'Run the loop.', run: longOutput };

async function runStandIn() {
  const script = toolLoop({ calls: CALLS, command: (n) => `seq ${n}` });
  const standIn = await createStandIn({ script, keep_bodies: 10_000 });
  onTestFinished(() => standIn.close());
  return standIn;
}

test.each([
  ['anthropic', runMessages],
  ['openai-chat', runChat],
  ['openai-responses', runResponses],
  ['gemini', runGemini],
] as const)('a long loop stays within the budget, and costs less than direct: %s', async (api, runAgent) => {
  const standIn = await runStandIn();
  const { url, proxy, events } = await runProxy(standIn.url, { max_tokens: BUDGET });
  const { calls, text } = await runAgent({ ...task, url });
  expect([calls, text]).toEqual([CALLS, expect.stringContaining(`all ${CALLS} calls were answered`)]);
  expect(standIn.requests.filter(({ verdict }) => verdict !== 'answered')).toEqual([]);
  const folds = events.filter(({ type }) => type === 'fold-end');
  expect(folds.length).toBeGreaterThan(1);
  expect(events).toEqual(folds);
  for (const fold of folds) expect(fold).toMatchObject({ api, conversation: expect.stringMatching(/^[0-9a-z]{13}$/) });
  const { totals, conversations } = proxy.status();
  expect(totals).toMatchObject({ requests: CALLS + 1, folds: folds.length });
  expect(totals.dollars.proxied).toBeLessThan(0.8 * totals.dollars.direct);
  expect(conversations).toMatchObject([{ requests: CALLS + 1, folds: folds.length, currency: 'dollars' }]);
  const prompts = standIn.requests.map(({ usage }) => promptOf(tokensOf(usage) ?? NONE));
  expect(Math.max(...prompts)).toBeLessThanOrEqual(BUDGET);

  // The direct cost is an estimate; here it can be checked.
  const alone = await runStandIn();
  await runAgent({ ...task, url: alone.url });
  const { prices } = modelInfo(conversations[0]?.model ?? '');
  const costs = ({ requests }: StandIn) => requests.map(({ usage }) => costOf(usage, prices) ?? 0);
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
  expect(totals.dollars.proxied).toBeCloseTo(sum(costs(standIn)), 8);
  expect(totals.dollars.direct / sum(costs(alone))).toBeGreaterThan(0.9);
  expect(totals.dollars.direct / sum(costs(alone))).toBeLessThan(1.1);
});

test.each([
  ['openai-chat', runChat],
  ['openai-responses', runResponses],
] as const)('instructions at the front stay in the cache through folds: %s', async (_, runAgent) => {
  const standIn = await runStandIn();
  const { url, events } = await runProxy(standIn.url, { max_tokens: BUDGET });
  const system = longOutput('rule').repeat(2);
  await runAgent({ ...task, url, system });
  expect(events.filter(({ type }) => type === 'fold-end').length).toBeGreaterThan(2);
  const isFolded = (body: string) => body.includes('prompt_cache_breakpoint');
  const folded = standIn.requests.filter(({ body }) => isFolded(JSON.stringify(body)));
  expect(folded.length).toBeGreaterThan(2);
  const [, ...later] = folded.map(({ usage }) => tokensOf(usage)?.cacheReadTokens ?? 0);
  // Half of the characters of one token, so that the estimate is on the safe side.
  expect(Math.min(...later)).toBeGreaterThan(system.length / 8);
});

test('under the budget every body arrives byte for byte', async () => {
  const standIn = await runStandIn();
  const upstream = await runUpstream(async (request, response, body) => {
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
    const answer = await fetch(standIn.url + request.url, { method: 'POST', body: new Uint8Array(body), headers });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const { url } = await runProxy(upstream.url, { max_tokens: 10_000_000 });
  const sent: string[] = [];
  const recording: typeof fetch = (input, init) => {
    sent.push(hashOf(Buffer.from(String(init?.body))));
    return fetch(input, init);
  };
  await runMessages({ ...task, url, fetch: recording });
  expect(sent).toHaveLength(CALLS + 1);
  expect(upstream.reached.map(({ body }) => hashOf(body))).toEqual(sent);
});
