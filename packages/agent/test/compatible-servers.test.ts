import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fixedAnswers, type StandIn } from '@holdfast/stand-in';
import { openaiChat } from 'holdfast';
import type { OpenaiChatMessage } from 'holdfast/rules';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ApiOptions, anthropicApi, createApiProvider, openaiApi, type Tool } from '../src/index.ts';
import { APIS, KEY, refused, standing } from './apis.ts';

const noting = (ran: string[]): Tool => ({
  name: 'note',
  description: 'notes',
  input_schema: { type: 'object', properties: { n: { type: 'number' } } },
  run(input, { callId }) {
    ran.push(callId);
    return `noted ${(input as { n: number }).n}`;
  },
});
const note = (id: string, n: number) => ({ id, name: 'note', input: { n } });

/** A custom server, for cases in which the stand-in is too well behaved. */
async function serving(answer: RequestListener): Promise<StandIn> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } as StandIn;
}

test.each(APIS)('$name: duplicate or empty ids are replaced in both calls and results', async (api) => {
  const odd = api.name === 'anthropic' ? 'functions.note:0 (odd)' : 'x'.repeat(api.name === 'openai-chat' ? 40 : 65);
  const script = fixedAnswers(
    { thinking: 'Hm.', calls: [note('same', 1), note('same', 2), note('', 3), note(odd, 4)] },
    { calls: [note('same', 5)] },
    'Done.',
  );
  const standIn = await standing({ script, keep_bodies: 100 });
  const ran: string[] = [];
  const result = await api.provider(standIn, { model: api.models[1] }).execute('Note.', { tools: [noting(ran)] });
  expect(refused(standIn)).toEqual([]);
  expect(result).toMatchObject({ success: true, output: 'Done.' });
  expect(ran[0]).toBe('same');
  expect(new Set(ran).size).toBe(5);
  // Each result follows its own call.
  const body = JSON.stringify(standIn.requests.at(-1)?.body);
  for (const [i, id] of ran.entries()) {
    const [, answered] = body.split(`"${id}"`).slice(1);
    expect(answered).toContain(`noted ${i + 1}`);
  }
});

test.each(APIS)('$name: if the last answer has no text, the output is the last text before it', async (api) => {
  const script = fixedAnswers({ text: 'All is noted.', calls: [note('a', 1)] }, { text: '' });
  const standIn = await standing({ script });
  const result = await api.provider(standIn, { model: api.models[1] }).execute('Note.', { tools: [noting([])] });
  expect(result).toMatchObject({ success: true, output: 'All is noted.', iterationComplete: true });
});

test('a URL with a missing or superfluous /v1 is reported with advice', async () => {
  const standIn = await standing({});
  const over = await anthropicApi({ api_key: KEY, base_url: `${standIn.url}/v1` }).execute('Hello.');
  expect(over).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(over.error).toContain('leave out /v1');
  for (const api of ['chat', 'responses'] as const) {
    const under = await openaiApi({ api_key: KEY, api, base_url: standIn.url }).execute('Hello.');
    expect(under.error).toContain('most servers expect it to end with /v1');
    const twice = await openaiApi({ api_key: KEY, api, base_url: `${standIn.url}/v1/v1` }).execute('Hello.');
    expect(twice.error).toContain('/v1 twice');
  }
});

test.each(APIS)('$name: a web page instead of a stream fails immediately', async (api) => {
  let asked = 0;
  const server = await serving((_, response) => {
    asked++;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>Welcome</html>');
  });
  const result = await api.provider(server, { model: api.models[0], ask_window: false }).execute('Hello.');
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
  expect(result.error).toMatch(/answered with text\/html instead of a stream: check base_url/);
  expect(asked).toBe(1);
});

test.each(APIS)('$name: the time limit and the signal also end the request for the context window', async (api) => {
  const asked: (() => void)[] = [];
  let requests = 0;
  const server = await serving(() => {
    requests++;
    asked.shift()?.();
  });
  const late = await api.provider(server, { model: api.models[0] }).execute('Hello.', { time_limit_ms: 50 });
  expect(late).toMatchObject({ success: false, errorCategory: 'timeout' });
  // On a busy machine, the time may be over before anything is sent.
  expect(requests).toBeLessThanOrEqual(1);
  requests = 0;
  const stop = new AbortController();
  asked.push(() => stop.abort());
  const stopped = await api.provider(server, { model: api.models[0] }).execute('Hello.', { signal: stop.signal });
  expect(stopped).toMatchObject({ success: false, errorCategory: 'cancelled' });
  // It ended while it asked for the window, before the first request to the model.
  expect(requests).toBe(1);
});

test('the request for the context window also uses the token from the environment', async () => {
  const standIn = await standing({ script: fixedAnswers('Hello.') });
  const before = process.env.ANTHROPIC_AUTH_TOKEN;
  process.env.ANTHROPIC_AUTH_TOKEN = 'planted-token-0815-abcdefgh';
  try {
    const result = await anthropicApi({ base_url: standIn.url }).execute('Hello.');
    expect(result).toMatchObject({ success: true });
    expect(JSON.stringify(result)).not.toContain('planted-token');
  } finally {
    if (before === undefined) delete process.env.ANTHROPIC_AUTH_TOKEN;
    else process.env.ANTHROPIC_AUTH_TOKEN = before;
  }
  expect(refused(standIn)).toEqual([]);
  expect(standIn.requests[0]).toMatchObject({ method: 'GET', verdict: 'answered' });
});

const WRONG: readonly [ApiOptions, string][] = [
  ...[1.5, Number.NaN, 0, -1, Number.POSITIVE_INFINITY].map((n): [ApiOptions, string] => [
    { max_output: n },
    `max_output is ${n}: expected a whole number, 1 or more`,
  ]),
  [{ base_url: 'localhost:1234' }, 'base_url is "localhost:1234": expected a URL that starts with http'],
  [{ base_url: 'not an address' }, 'base_url is "not an address": expected a URL'],
  [{ api_key: `${KEY}\n` }, 'api_key contains white space or non-ASCII characters'],
  [{ max_retries: -1 }, 'max_retries is -1: expected a number, 0 or more'],
  [{ time_limit_ms: Number.NaN }, 'time_limit_ms is NaN: expected a number, 0 or more'],
  [{ idle_timeout_ms: 0 }, 'idle_timeout_ms is 0: expected a number, 1 or more'],
];

test.each(WRONG)('%j: refused with what was expected', async (options, words) => {
  const standIn = await standing({});
  for (const api of APIS) {
    const result = await api.provider(standIn, options).execute('Hello.');
    expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request' });
    expect(result.error).toContain(words);
    expect(result.error).not.toContain(KEY);
  }
  expect(standIn.requests).toEqual([]);
});

test.each(APIS)('$name: times beyond what timers support end nothing', async (api) => {
  for (const ms of [Number.POSITIVE_INFINITY, 2 ** 40]) {
    const standIn = await standing({ script: fixedAnswers('Hello.') });
    const options = { time_limit_ms: ms, idle_timeout_ms: ms, max_retries: 0 };
    const result = await api.provider(standIn, { model: api.models[0] }).execute('Hello.', options);
    expect(result).toMatchObject({ success: true, output: 'Hello.' });
  }
});

test.each(APIS)('$name: a first prompt that is too large ends one execution, not the following ones', async (api) => {
  const standIn = await standing({ script: fixedAnswers('Hello.') });
  const [model] = api.models;
  const provider = api.provider(standIn, { model, models: { [model]: { window: 8_000 } }, max_output: 1_000 });
  const first = await provider.execute('Read this. '.repeat(5_000));
  expect(first).toMatchObject({ success: false, errorCategory: 'context_overflow' });
  const second = await provider.execute('Hello.', { conversationState: first.conversationState });
  expect(second).toMatchObject({ success: true, output: 'Hello.' });
});

test('a wrong value from a custom API ends one execution, not the following ones', async () => {
  const call = { id: 'twice', type: 'function' as const, function: { name: 'note', arguments: '{}' } };
  const answers = [
    { role: 'assistant', content: 'Noting.', tool_calls: [call, call] },
    { role: 'assistant', content: 'Better now.' },
  ];
  const provider = createApiProvider<OpenaiChatMessage>({
    name: 'own',
    defaultModel: 'gpt-4o',
    options: { ask_window: false, tools: [noting([])] },
    connect: () => ({
      base_url: '',
      keys: [],
      api: {
        dialect: openaiChat(),
        prompt: (text) => ({ role: 'user', content: text }),
        results: (results) => results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
        async send() {
          const message = answers.shift() as OpenaiChatMessage;
          const calls = (message.tool_calls ?? []).map(({ id }) => ({ id, name: 'note', input: {} }));
          return {
            messages: [message],
            text: String(message.content),
            calls,
            stop: calls.length > 0 ? 'calls' : 'end',
          };
        },
        say: async () => ({ text: '', usage: undefined }),
      },
    }),
  });
  const first = await provider.execute('Note.');
  expect(first).toMatchObject({ success: false, errorCategory: 'invalid_request', output: 'Noting.' });
  const state = JSON.parse(JSON.stringify(first.conversationState));
  const second = await provider.execute('Go on.', { conversationState: state });
  expect(second).toMatchObject({ success: true, output: 'Better now.' });
});

test.each(APIS)('$name: a web page of a megabyte gives a short error, and the request is counted', async (api) => {
  const server = await serving((request, response) => {
    request.resume();
    response.writeHead(request.method === 'GET' ? 404 : 400, { 'content-type': 'text/html' });
    response.end(`<html>${'<p>Bad request</p>'.repeat(60_000)} ${KEY}</html>`);
  });
  const lines: string[] = [];
  const line = (text: string) => void lines.push(text);
  const logger = { debug: line, info: line, warn: line };
  const result = await api.provider(server, { model: api.models[0] }).execute('Hello.', { logger });
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request', requests: 1 });
  expect(result.error?.length).toBeLessThan(2_200);
  expect(result.error).toMatch(/\d{7} characters in all/);
});

test('a state from another API is refused with a clear message', async () => {
  const standIn = await standing({
    script: (prompt) => (prompt.results.length > 0 ? { text: 'Done.' } : { calls: [note('a', 1)] }),
  });
  const states = new Map<string, unknown>();
  const provider = (api: (typeof APIS)[number]) => api.provider(standIn, { model: api.models[1], tools: [noting([])] });
  for (const api of APIS) states.set(api.name, (await provider(api).execute('Note.')).conversationState);
  const damaged = { version: 1, pending: [], window: { view: [] } };
  for (const api of APIS) {
    const broken = await provider(api).execute('Go on.', { conversationState: damaged });
    expect(broken.error).toMatch(
      /^cannot resume from conversationState: pass the one that the last execution returned, or leave it out$/,
    );
    for (const [name, conversationState] of states) {
      const result = await provider(api).execute('Go on.', { conversationState });
      if (name === api.name) expect(result).toMatchObject({ success: true });
      else expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request', conversationState });
      if (name !== api.name)
        expect(result.error, `${name} to ${api.name}`).toBe(
          `cannot resume from conversationState: its messages are not ${api.name}; use a provider of the API that returned it, or leave it out`,
        );
    }
  }
  expect(refused(standIn)).toEqual([]);
});

test('an empty completion signal is ignored', async () => {
  const standIn = await standing({ script: fixedAnswers('Hello.', 'All ok.') });
  const provider = APIS[0]?.provider(standIn, { completion_signals: ['', 'ok'] });
  const first = await provider?.execute('Hello.');
  expect(first?.completionSignal).toBeUndefined();
  const second = await provider?.execute('Well?', { conversationState: first?.conversationState });
  expect(second?.completionSignal).toBe('ok');
});

test('a model close to its end of life causes no console output', async () => {
  const standIn = await standing({ script: fixedAnswers('Hello.') });
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const result = await anthropicApi({ api_key: KEY, base_url: standIn.url, model: 'claude-sonnet-4-5' }).execute('Hi.');
  expect(result).toMatchObject({ success: true });
  expect(warn).not.toHaveBeenCalled();
});
