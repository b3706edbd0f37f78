import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sqlite } from '@holdfast/sessions';
import { type AnthropicMessage, validateAnthropic } from 'holdfast/rules';
import { expect, onTestFinished, test } from 'vitest';
import { SOAK } from '../../../scripts/soak.ts';
import { runProxy, runUpstream } from './running.ts';
import { longOutput } from './tool-agents.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const CONVERSATIONS = SOAK ? 200 : 16;
const REQUESTS = SOAK ? 100 : 30;
const BUDGET = 12_000;

interface Body {
  readonly messages: readonly AnthropicMessage[];
}

/** What is wrong with a body: it breaks a rule, exceeds the budget, or contains another conversation's text. */
function wrongIn(text: string): string[] {
  const { messages } = JSON.parse(text) as Body;
  const names = new Set(text.match(/conversation-\d+-/g));
  return [
    ...validateAnthropic(messages).map(({ message }) => message ?? ''),
    ...(text.length / 3 > BUDGET * 1.05 ? [`${text.length} characters`] : []),
    ...(names.size === 1 ? [] : [`contains ${[...names].join(' and ')}`]),
  ];
}

/** A client that makes one call after another, and sends its whole history each time. */
async function talk(url: string, name: string, between: (request: number) => Promise<void>): Promise<void> {
  const messages: unknown[] = [{ role: 'user', content: 'Run the checks.' }];
  for (let n = 1; n <= REQUESTS; n++) {
    const headers = { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' };
    const body = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 100, messages });
    const answer = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    await answer.arrayBuffer();
    const id = `toolu_${name}${n}`;
    const call = { type: 'tool_use', id, name: 'bash', input: { command: `${name}${n}` } };
    const content = longOutput(`${name}${n}`).slice(0, 2_000);
    messages.push({ role: 'assistant', content: [{ type: 'text', text: `Check ${n} of ${name}.` }, call] });
    messages.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] });
    await between(n);
  }
}

test('many conversations at once keep apart, and memory does not grow with their length', async () => {
  const wrong: string[] = [];
  const upstream = await runUpstream((_, response, body) => {
    const text = body.toString();
    if (text.includes('tool_result')) wrong.push(...wrongIn(text));
    const usage = { input_tokens: Math.round(text.length / 3.5), output_tokens: 20 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ type: 'message', role: 'assistant', content: [], usage }));
    upstream.reached.length = 0;
  });
  const store = await sqlite(':memory:');
  onTestFinished(() => store.close());
  const { url, proxy } = await runProxy(upstream.url, { max_tokens: BUDGET, store });
  const heap: number[] = [];
  const measure = async (n: number) => {
    if (n !== Math.floor(REQUESTS / 2) && n !== REQUESTS) return;
    collect();
    heap.push(process.memoryUsage().heapUsed);
  };
  const nothing = async () => {};
  collect();
  await Promise.all(
    Array.from({ length: CONVERSATIONS }, (_, i) => talk(url, `conversation-${i}-`, i === 0 ? measure : nothing)),
  );
  expect(wrong.slice(0, 5)).toEqual([]);
  const { conversations } = proxy.status();
  expect(conversations.length).toBe(CONVERSATIONS);
  expect(Math.min(...conversations.map(({ folds }) => folds))).toBeGreaterThan(0);
  const [half = 0, end = 0] = heap;
  console.info(`heap at half ${Math.round(half / 1e6)} MB, at the end ${Math.round(end / 1e6)} MB`);
  expect(end).toBeLessThan(1.5 * half);
});
