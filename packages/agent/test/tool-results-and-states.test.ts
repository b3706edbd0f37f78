import { fixedAnswers } from '@holdfast/stand-in';
import { expect, test } from 'vitest';
import type { ApiOptions, ExecutionResult, Tool } from '../src/index.ts';
import { APIS, type ApiUnderTest, refused, standing } from './apis.ts';

const tool = (name: string, run: Tool['run'], more: Partial<Tool> = {}): Tool => ({
  name,
  description: `${name} it`,
  input_schema: { type: 'object', properties: { n: { type: 'number' } } },
  run,
  ...more,
});
const call = (name: string, n = 1) => ({ name, input: { n } });

async function run(api: ApiUnderTest, server: Parameters<typeof standing>[0], options: ApiOptions = {}) {
  const standIn = await standing({ keep_bodies: 100, ...server });
  const provider = api.provider(standIn, { model: api.models[0], thinking: true });
  const result = await provider.execute('Do it.', options);
  expect(refused(standIn)).toEqual([]);
  return { result, standIn, body: JSON.stringify(standIn.requests.at(-1)?.body) };
}

/** What came of going on from a result's state, which was written down and read again. */
async function goneOn(api: ApiUnderTest, { conversationState }: ExecutionResult, options: ApiOptions = {}) {
  const state = JSON.parse(JSON.stringify(conversationState));
  return run(api, { script: fixedAnswers('Went on.') }, { ...options, conversationState: state });
}

const THROWN: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['an object', { code: 7 }],
  ['an object without a prototype', Object.create(null)],
  ['an error without a message', new Error('')],
  ['an error whose message is not a text', Object.assign(new Error('x'), { message: { toString: () => 1 } })],
];

test.each(THROWN)('a tool that throws %s still has a meaningful result', async (_, thrown) => {
  for (const api of APIS) {
    const throwing = tool('fail', () => {
      throw thrown;
    });
    const script = fixedAnswers({ thinking: 'Hm.', calls: [call('fail')] }, 'Done.');
    const { result } = await run(api, { script }, { tools: [throwing] });
    expect(result, api.name).toMatchObject({ success: true, output: 'Done.' });
  }
});

const CYCLE: Record<string, unknown> = {};
CYCLE.self = CYCLE;
const GIVEN: readonly (readonly [string, unknown])[] = [
  ['nothing', undefined],
  ['a number that JSON has not', 10n],
  ['itself in itself', CYCLE],
  ['a function', () => 1],
  ['half of a surrogate pair', 'a\ud800b'],
  ['a NUL', 'a\u0000b'],
];

test.each(GIVEN)('a tool that returns %s still has a result', async (_, given) => {
  for (const api of APIS) {
    const script = fixedAnswers({ calls: [call('give')] }, 'Done.');
    const { result } = await run(api, { script }, { tools: [tool('give', () => given as string)] });
    expect(result, api.name).toMatchObject({ success: true, output: 'Done.' });
  }
});

test.each(APIS)('$name: no request contains half of a surrogate pair', async (api) => {
  const standIn = await standing({ script: fixedAnswers('Done.') });
  const provider = api.provider(standIn, { model: api.models[0], system: 'Be \udc00 careful.' });
  expect(await provider.execute('Do \ud800 it.')).toMatchObject({ success: true });
  expect(JSON.stringify(standIn.requests.at(-1)?.body)).not.toMatch(/\\ud[89a-f]/i);
});

test.each(APIS)('$name: a state without messages is refused with a clear message, and returned', async (api) => {
  const { result } = await run(api, { script: fixedAnswers('Done.') });
  const { window } = result.conversationState as { window: object };
  for (const part of [
    { pending: [{ bogus: 1 }] },
    { pending: [null] },
    { window: {} },
    { window: { ...window, view: 7 } },
  ]) {
    const conversationState = { ...(result.conversationState as object), ...part };
    // Another system prompt: then the state is looked through for thinking.
    const { result: refusal } = await run(api, {}, { conversationState, system: 'Be careful.' });
    expect(refusal).toMatchObject({ success: false, errorCategory: 'invalid_request' });
    expect(refusal.error).not.toContain('Cannot');
  }
});

test.each(APIS)('$name: a result of 5 MB is folded to what fits', async (api) => {
  const script = fixedAnswers({ thinking: 'Hm.', calls: [call('give')] }, 'Done.');
  const { result, body } = await run(
    api,
    { script },
    { tools: [tool('give', () => 'some words '.repeat(500_000))], conversation: { max_tokens: 20_000 } },
  );
  expect(result).toMatchObject({ success: true, output: 'Done.' });
  expect(body.length).toBeLessThan(100_000);
});

test.each(APIS)(
  '$name: stopped mid-stream, during a tool call or a wait, it returns a state that can be resumed',
  async (api) => {
    const slow = { kind: 'slow', bytes: 300, pause_ms: 20 } as const;
    const cases: Record<string, (stop: AbortController) => [Parameters<typeof standing>[0], ApiOptions]> = {
      'mid-stream': (stop) => [
        {
          script: fixedAnswers({ thinking: 'Hm.', text: 'Words. '.repeat(200), calls: [call('hang')] }),
          faults: [slow],
        },
        { onEvent: ({ type }) => type === 'text-delta' && stop.abort() },
      ],
      'a tool that never returns, beside another': (stop) => [
        { script: fixedAnswers({ thinking: 'Hm.', calls: [call('hang'), call('stop'), call('hang')] }) },
        { tools: [hang, tool('stop', async () => stop.abort() as unknown as string, { parallel: true })] },
      ],
      'a wait': (stop) => [
        { script: fixedAnswers('Never.'), faults: [{ kind: 'rate-limit', retry_after: 600 }] },
        { max_wait_ms: 600_000, onEvent: ({ type }) => type === 'request-retry' && stop.abort() },
      ],
      'before it began': (stop) => {
        stop.abort();
        return [{ script: fixedAnswers('Never.') }, {}];
      },
    };
    for (const [name, make] of Object.entries(cases)) {
      const stop = new AbortController();
      const [server, options] = make(stop);
      const { result } = await run(api, server, { tools: [hang], ...options, signal: stop.signal });
      expect(result, name).toMatchObject({ success: false, errorCategory: 'cancelled', iterationComplete: false });
      const next = await goneOn(api, result, { tools: [hang] });
      expect(next.result, name).toMatchObject({ success: true, output: 'Went on.' });
      expect(next.body, name).toContain('Do it.');
    }
  },
);

const hang = tool('hang', () => new Promise<string>(() => {}), { parallel: true });

test.each(APIS)('$name: two tools with the same name are refused before anything is sent', async (api) => {
  const standIn = await standing({ script: fixedAnswers('Never.') });
  const provider = api.provider(standIn, { model: api.models[0], tools: [hang, tool('hang', () => 'other')] });
  const result = await provider.execute('Do it.');
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(result.error).toContain('hang');
  expect(standIn.requests.filter(({ method }) => method === 'POST')).toEqual([]);
});

test.each(APIS)('$name: a conversation started with tools continues without any', async (api) => {
  const giving = { tools: [tool('give', () => 'what was given'), tool('fail', () => Promise.reject(new Error('no')))] };
  const calls = [call('give'), call('fail')];
  const { result } = await run(api, { script: fixedAnswers({ thinking: 'Hm.', calls }, 'Done.') }, giving);
  const next = await goneOn(api, result);
  expect(next.result).toMatchObject({ success: true, output: 'Went on.' });
  expect(next.body).toContain('what was given');
  const again = await goneOn(api, next.result, giving);
  expect(again.result).toMatchObject({ success: true });
});

// The Messages API makes no calls without tools, and takes none.
test.each(APIS.slice(1))('$name: a call without any tools is answered, and the conversation continues', async (api) => {
  const script = fixedAnswers({ thinking: 'Hm.', calls: [call('give')] }, 'Done.');
  const { result, body } = await run(api, { script });
  expect(result).toMatchObject({ success: true, output: 'Done.' });
  expect(body).toContain('There is no tool give. There are: none.');
});

test.each(APIS)('$name: an unknown model is reported in the server’s words', async (api) => {
  const standIn = await standing({});
  const result = await api.provider(standIn, { model: 'no-such-model' }).execute('Hello.');
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(result.error).toContain('no-such-model');
  expect(standIn.requests.filter(({ method }) => method === 'POST').length).toBe(1);
});

test.each(APIS)('$name: a window with no room for anything fails with the sizes, whatever its size', async (api) => {
  for (const window of [1, 2, 10, 100, 1_000]) {
    const [model] = api.models;
    const standIn = await standing({ script: fixedAnswers('Never.') });
    const provider = api.provider(standIn, {
      model,
      models: { [model]: { window } },
      system: 'Be careful. '.repeat(400),
    });
    const result = await provider.execute('Do it.', { tools: [hang] });
    expect(result, String(window)).toMatchObject({ success: false });
    expect(['context_overflow', 'invalid_request'], result.error).toContain(result.errorCategory);
    expect(result.error, String(window)).toMatch(/reserve/);
    expect(standIn.requests).toEqual([]);
  }
});
