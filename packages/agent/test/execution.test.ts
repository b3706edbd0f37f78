import { type Answer, fixedAnswers } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import type { ApiOptions, ExecutionResult, ProviderEvent, Tool } from '../src/index.ts';
import { APIS, type ApiUnderTest, refused, standing } from './apis.ts';

const SCHEMA = { type: 'object', properties: { n: { type: 'number' } } };

/** What already waits to run has run. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A tool whose calls end in the order of their numbers, whichever began first. */
function waiting(started: number[], parallel = true): Tool {
  const running = new Set<number>();
  return {
    name: 'wait',
    description: 'waits',
    input_schema: SCHEMA,
    parallel,
    async run(input, { fileChanged }) {
      const { n } = input as { n: number };
      started.push(n);
      fileChanged(`src/${n}.ts`);
      running.add(n);
      do await nextTurn();
      while (Math.min(...running) < n);
      running.delete(n);
      if (n === 13) throw new Error('thirteen is refused');
      return `waited ${n}`;
    },
  };
}

const call = (n: number) => ({ name: 'wait', input: { n } });

async function run(api: ApiUnderTest, answers: readonly (Answer | string)[], options: ApiOptions = {}) {
  const standIn = await standing({ script: fixedAnswers(...answers), keep_bodies: 100 });
  const events: ProviderEvent[] = [];
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const provider = api.provider(standIn, { model: api.models[0], thinking: true });
  const result = await provider.execute('Wait for me.', {
    onEvent: (event) => events.push(event),
    logger: { debug: note, info: note, warn: note },
    ...options,
  });
  expect(refused(standIn)).toEqual([]);
  const sent = standIn.requests.filter(({ method, body }) => method === 'POST' && body !== undefined);
  return { result, events, lines, bodies: sent.map(({ body }) => JSON.stringify(body)) };
}

test.each(APIS)(
  '$name: one message for all calls of an answer, results in order, a failing tool is a result',
  async (api) => {
    const started: number[] = [];
    const answers = [
      { text: 'Three.', thinking: 'Hm.', calls: [call(30), call(13), call(1)] },
      { calls: [{ name: 'nowhere', input: {} }] },
      'All done. <DONE>',
    ];
    const { result, events, bodies } = await run(api, answers, { tools: [waiting(started)] });
    expect(result).toMatchObject({ success: true, output: 'All done. <DONE>', completionSignal: '<DONE>' });
    expect(result).toMatchObject({ iterationComplete: true, requests: 3, folds: 0 });
    expect(result.filesChanged).toEqual(['src/30.ts', 'src/13.ts', 'src/1.ts']);
    const places = ['waited 30', 'thirteen is refused', 'waited 1', 'There is no tool nowhere'].map(
      (text) => bodies[2]?.indexOf(text) ?? -1,
    );
    expect(places.every((at, i) => at > (places[i - 1] ?? 0))).toBe(true);
    const ends = events.flatMap((event) => (event.type === 'call-end' ? [event.failed] : []));
    expect(ends.toSorted()).toEqual([false, false, true, true]);
    const said = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : [])).join('');
    expect(said).toBe('Three.All done. <DONE>');
  },
);

test('tools that may not run concurrently run in sequence', async () => {
  const order: string[] = [];
  const slow: Tool = {
    ...waiting([], false),
    async run(input) {
      const { n } = input as { n: number };
      order.push(`start ${n}`);
      await nextTurn();
      order.push(`end ${n}`);
      return 'ok';
    },
  };
  const [api] = APIS as [ApiUnderTest];
  await run(api, [{ calls: [call(20), call(1)] }, 'Done.'], { tools: [slow] });
  expect(order).toEqual(['start 20', 'end 20', 'start 1', 'end 1']);
});

test.each(APIS)('$name: cancelled during a tool call, it returns a state that can be resumed', async (api) => {
  const stop = new AbortController();
  const tool: Tool = { ...waiting([]), run: () => new Promise(() => stop.abort()) };
  const { result } = await run(api, [{ calls: [call(1), call(2)] }], { tools: [tool], signal: stop.signal });
  expect(result).toMatchObject({ success: false, errorCategory: 'cancelled', iterationComplete: false });
  const { conversationState } = JSON.parse(JSON.stringify(result)) as ExecutionResult;
  const next = await run(api, ['Where were we?'], { tools: [tool], conversationState });
  expect(next.result).toMatchObject({ success: true, output: 'Where were we?' });
  expect(next.bodies[0]).toContain('Stopped before it was done.');
});

test.each(APIS)('$name: stops at its time limit, and at its maximum number of requests', async (api) => {
  const tool: Tool = { ...waiting([]), run: () => new Promise(() => {}) };
  const late = await run(api, [{ calls: [call(1)] }], { tools: [tool], time_limit_ms: 300 });
  expect(late.result).toMatchObject({ success: false, errorCategory: 'timeout' });
  const often = await run(api, [{ calls: [call(1)] }, { calls: [call(1)] }], { tools: [waiting([])], max_requests: 2 });
  expect(often.result).toMatchObject({ success: false, errorCategory: 'timeout', requests: 2 });
});

test.each(APIS)('$name: a fold is logged in one line, and the result has the conversation’s figures', async (api) => {
  const calls = Array.from({ length: 12 }, (_, n) => ({ text: `Call ${n}.`, calls: [call(n)] }));
  const { result, lines, events } = await run(api, [...calls, 'Done.'], {
    tools: [waiting([])],
    conversation: { max_messages: 10, preserve_last_n: 4 },
  });
  const told = lines.filter((line) =>
    /^Trimmed conversation: \d+ messages removed, \d+ kept \(~\d+ tokens\)$/.test(line),
  );
  expect(told.length).toBe(result.folds);
  expect(told.length).toBeGreaterThan(0);
  expect(events.filter(({ type }) => type === 'fold-end').length).toBe(told.length);
  expect(result.conversationMetrics?.messageCount).toBeLessThanOrEqual(11);
  expect(result.conversationMetrics?.estimatedTokens).toBeGreaterThan(0);
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = result.tokenUsage ?? {};
  expect(inputTokens + cacheReadTokens + cacheWriteTokens).toBeGreaterThan(1_000);
  expect(result.cost?.spent).toBeGreaterThan(0);
  expect(result.cost?.everything).toBeGreaterThan(0);
});

test.each(APIS)(
  '$name: a truncated answer is not a complete iteration, and a refusal is not a success',
  async (api) => {
    const cut = await run(api, [{ text: 'I was about to', stop: 'length' }]);
    expect(cut.result).toMatchObject({ success: true, iterationComplete: false, output: 'I was about to' });
    const refusal = await run(api, [{ text: 'I will not.', stop: 'refusal' }]);
    expect(refusal.result).toMatchObject({ success: false, iterationComplete: false });
  },
);

test.each([
  { max_conversation_messages: 10 },
  { conversation: { max_conversation_messages: 10 } },
  { conversation: { max_messages: 10 }, max_conversation_messages: 500 },
] as const)('%o sets the maximum number of messages in a request', async (options) => {
  const [api] = APIS;
  const answers = [...Array.from({ length: 12 }, () => ({ calls: [call(0)] })), 'Done.'];
  const { events } = await run(api as ApiUnderTest, answers, { tools: [waiting([])], ...options });
  const views = events.filter((event) => event.type === 'view-ready');
  expect(views.at(-1)?.max.messages).toBe(10);
  expect(Math.max(...views.map(({ messages }) => messages))).toBe(10);
});
