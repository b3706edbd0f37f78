import { sqlite, verifySession } from '@holdfast/sessions';
import { createStandIn, toolLoop } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { runProxy } from './running.ts';
import { longOutput, runChat, runGemini, runMessages, runResponses } from './tool-agents.ts';

test.each([
  ['anthropic', runMessages],
  ['openai-chat', runChat],
  ['openai-responses', runResponses],
  ['gemini', runGemini],
] as const)('the log of a folded conversation is sound: %s', async (_, runAgent) => {
  const standIn = await createStandIn({ script: toolLoop({ calls: 30, command: (n) => `seq ${n}` }) });
  onTestFinished(() => standIn.close());
  const store = await sqlite(':memory:');
  onTestFinished(() => store.close());
  const { url, proxy } = await runProxy(standIn.url, { max_tokens: 15_000, store });
  await runAgent({ prompt: 'Run the loop.', run: longOutput, url });
  await proxy.close();
  const [info] = await store.list();
  expect(info?.folds).toBeGreaterThan(2);
  expect((await verifySession(store, info?.id ?? '')).problems).toEqual([]);
});
