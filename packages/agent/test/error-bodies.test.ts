import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { APIS, type ApiUnderTest, standing } from './apis.ts';
import { answerWith, ownServer, STOPS, stream } from './own-server.ts';

const [MESSAGES, CHAT, RESPONSES] = APIS as [ApiUnderTest, ApiUnderTest, ApiUnderTest];

/** Sends a body as it is. */
function send(response: ServerResponse, body: unknown, type = 'application/json', status = 200): void {
  response.writeHead(status, { 'content-type': type });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** What comes of a prompt whose first request this answers; all others are answered well. */
async function after(api: ApiUnderTest, first: (response: ServerResponse) => void, times = 1) {
  const server = await ownServer((nth, response) =>
    nth <= times ? first(response) : answerWith(api, response, { text: 'Done.', stop: STOPS[api.name].end }),
  );
  const result = await api.provider(server, { model: api.models[1] }).execute('Do it.');
  return { result, server };
}

const PASSING = [
  { name: 'OpenRouter, busy', body: { error: { code: 429, message: 'Rate limited upstream' } } },
  { name: 'OpenRouter, down', body: { error: { code: '502', message: 'Provider returned error' } } },
  { name: 'by its type', body: { error: { type: 'overloaded_error', message: 'Overloaded' } } },
  { name: 'Anthropic', body: { type: 'error', error: { type: 'api_error', message: 'Internal server error' } } },
  { name: 'a text', body: { error: 'Internal error' } },
  { name: 'MiniMax', body: { base_resp: { status_code: 1002, status_msg: 'rate limit exceeded' } } },
  { name: 'no words', body: { error: {} } },
  { name: 'Gemini, a list', body: [{ error: { code: 503, message: 'The model is overloaded' } }] },
  { name: 'a code and words', body: { code: '1305', msg: 'Too many requests' } },
  { name: 'no success', body: { success: false, code: 500, message: 'Internal error' } },
  { name: 'a status in words', body: { status: 'error', message: 'Temporarily unavailable' } },
] as const;
const TYPES = ['application/json', 'text/event-stream', 'text/plain; charset=utf-8'];

test.each(APIS.flatMap((api) => PASSING.map((told) => ({ api, ...told }))))(
  '$api.name: 200 with an error for a body that may pass is tried again: $name',
  async ({ api, body }) => {
    for (const type of TYPES) {
      const { result, server } = await after(api, (response) => send(response, body, type));
      expect(result, type).toMatchObject({ success: true, output: 'Done.' });
      expect(server.bodies.length, type).toBe(2);
    }
  },
);

test.each([
  { body: { error: { code: 401, message: 'No auth credentials found' } }, category: 'auth' },
  { body: { error: { code: 402, message: 'Insufficient credits' } }, category: 'auth' },
  { body: { error: { code: 400, message: 'No such parameter' } }, category: 'invalid_request' },
  { body: { error: { type: 'invalid_request_error', message: 'No such parameter' } }, category: 'invalid_request' },
  { body: { base_resp: { status_code: 1004, status_msg: 'login fail: check your API key' } }, category: 'auth' },
  { body: { error: { message: 'Prompt exceeds max length' } }, category: 'context_overflow' },
])('a permanent error fails immediately: $body', async ({ body, category }) => {
  for (const api of APIS) {
    const { result } = await after(api, (response) => send(response, body), 99);
    const { message } = (Object.values(body)[0] ?? {}) as { message?: string };
    expect(result, api.name).toMatchObject({ success: false, errorCategory: category });
    if (message) expect(result.error).toContain(message);
    if (category !== 'context_overflow') expect(result.requests).toBe(1);
  }
});

test('a server that cannot stream is still distinguished from an error', async () => {
  const { result } = await after(CHAT, (response) => send(response, { choices: [{ message: { content: 'Hi.' } }] }));
  expect(result.error).toMatch(/answered with application\/json instead of a stream: check base_url/);
  const { result: page } = await after(CHAT, (response) => send(response, { message: 'Welcome', code: 0 }), 99);
  expect(page.error).toMatch(/instead of a stream: check base_url/);
});

const chunk = (choice: object, more: object = {}) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  model: 'm',
  choices: [{ index: 0, delta: { content: '' }, finish_reason: null, ...choice }],
  ...more,
});
const begun = chunk({ delta: { role: 'assistant', content: 'Let me' } });
const error = { code: 502, message: 'Provider disconnected', metadata: { provider_name: 'p' } };

test.each<[string, readonly object[]]>([
  ['beside the choices', [begun, chunk({ finish_reason: 'error' }, { error })]],
  ['in the choice', [begun, chunk({ finish_reason: 'error', error })]],
  ['in the choice alone', [begun, { ...chunk({}), choices: [{ index: 0, error, finish_reason: 'error' }] }]],
  ['as the reason alone', [begun, chunk({ finish_reason: 'error' })]],
  ['instead of a chunk', [begun, { object: 'error', message: 'it broke', type: 'InternalServerError', code: 500 }]],
])('chat: an error inside a stream is retried, and nothing of that stream is used: %s', async (_, events) => {
  const { result, server } = await after(CHAT, (response) => stream(response, events, true));
  expect(result).toMatchObject({ success: true, output: 'Done.' });
  expect(server.bodies.length).toBe(2);
});

test('chat: a permanent error in the choice is reported in its own words', async () => {
  const refused = { code: 403, message: 'Your chosen model requires moderation' };
  const events = [begun, chunk({ finish_reason: 'error', error: refused })];
  const { result } = await after(CHAT, (response) => stream(response, events, true), 99);
  expect(result).toMatchObject({
    success: false,
    errorCategory: 'auth',
    error: expect.stringContaining(refused.message),
    requests: 1,
  });
});

test.each<[string, object]>([
  ['without a name', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow down.' }],
  [
    'at the end',
    { type: 'response.completed', response: { status: 'failed', output: [], error: { code: 'server_error' } } },
  ],
])('responses: an error inside a stream is retried: %s', async (_, event) => {
  const { result, server } = await after(RESPONSES, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(event)}\n\n`);
  });
  expect(result).toMatchObject({ success: true, output: 'Done.' });
  expect(server.bodies.length).toBe(2);
});

test.each(['\n', '\r\n', '\r'])(
  'messages: an error in a stream without event names keeps its message (%j)',
  async (end) => {
    const refused = { type: 'error', error: { type: 'permission_error', message: 'Not with this key.' } };
    const { result } = await after(MESSAGES, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify(refused)}${end}${end}`);
    });
    expect(result).toMatchObject({ success: false, errorCategory: 'auth', requests: 1 });
    expect(result.error).toMatch(/^Not with this key at http/);
  },
);

test('messages: a stream without event names is read', async () => {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const events = [
    { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage, model: 'm' } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  const { result } = await after(MESSAGES, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
  expect(result).toMatchObject({ success: true, output: 'Hi.', requests: 1 });
});

const TOO_LONG = [
  {
    status: 400,
    body: {
      object: 'error',
      message: "The input (9000 tokens) is longer than the model's context length (8000 tokens).",
      type: 'BadRequestError',
      code: 400,
    },
  },
  {
    status: 422,
    body: {
      error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1168',
      error_type: 'validation',
    },
  },
  {
    status: 400,
    body: {
      errors: [
        {
          code: 'invalid_input_argument',
          message: 'the number of input tokens 9000 cannot exceed the total tokens limit 8000 for this model',
        },
      ],
      status_code: 400,
    },
  },
  {
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 8000 but the request contains 9000 tokens.",
    },
  },
];

test.each(TOO_LONG)('an overflow is recognized in bodies of any shape: $body', async ({ status, body }) => {
  for (const api of APIS) {
    const { result } = await after(api, (response) => send(response, body, 'application/json', status), 99);
    expect(result, api.name).toMatchObject({ success: false, errorCategory: 'context_overflow' });
    expect(result.error).toMatch(/tokens/);
  }
});

test.each([MESSAGES, CHAT])('$name: if the prompt leaves no room for an answer, it is folded', async (api) => {
  const stop = 'model_context_window_exceeded';
  const { result, server } = await after(api, (response) => answerWith(api, response, { stop }), 99);
  expect(result).toMatchObject({ success: false, errorCategory: 'context_overflow' });
  expect(server.bodies.length).toBeLessThan(5);
});

test.each(APIS)('$name: an endless event and an endless body are clear errors', async (api) => {
  const standIn = await standing({ faults: ['endless-event'] });
  const result = await api.provider(standIn, { model: api.models[1] }).execute('Do it.');
  expect(result).toMatchObject({ success: false, errorCategory: 'invalid_request', requests: 1 });
  expect(result.error).toMatch(/sent an event larger than the maximum of 8388608 bytes/);
  const { result: other } = await after(api, (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"a":"');
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  });
  expect(other).toMatchObject({ success: false, errorCategory: 'invalid_request', requests: 1 });
  expect(other.error).toMatch(/of more than 8388608 bytes, the maximum/);
});

test('many events do not count as one large event, with any line endings', async () => {
  const text = 'x'.repeat(100_000);
  const events = Array.from({ length: 100 }, () => `data: ${JSON.stringify(chunk({ delta: { content: text } }))}`);
  for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
    const body = [...events, `data: ${JSON.stringify(chunk({ finish_reason: 'stop' }))}`, 'data: [DONE]', ''].join(end);
    const { result } = await after(CHAT, (response) => send(response, body, 'text/event-stream'));
    expect(result.output.length, JSON.stringify(end)).toBe(100 * text.length);
  }
});
