import { expect, test } from 'vitest';
import { failureOf, running, words } from '../../test/running.ts';
import type { StandInModel } from '../index.ts';

type Body = Record<string, unknown>;
interface Row {
  readonly rule: string;
  readonly message: string | RegExp;
  readonly body: Body;
  /** A valid request that differs only in this. */
  readonly taken: Body;
  readonly status?: number;
  readonly type?: string;
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const text = (said: string, more: Body = {}) => ({ type: 'text', text: said, ...more });
const call = (id: string, more: Body = {}) => ({ type: 'tool_use', id, name: 'read', input: {}, ...more });
const result = (id: string, more: Body = {}) => ({ type: 'tool_result', tool_use_id: id, content: 'ok', ...more });
const marked = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const say = (...messages: unknown[]): Body => ({ messages });
const round = (ask: unknown[], reply: unknown) => say(user('Go.'), assistant(ask), user(reply));
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
/** The header of a PNG of this width. */
const image = (side: number) => {
  const bytes = Buffer.alloc(33);
  bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
  bytes.writeUInt32BE(side, 16);
  bytes.writeUInt32BE(20, 20);
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } };
};

const ROWS: readonly Row[] = [
  {
    rule: 'every call answered in the next message',
    message:
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: b. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    body: round([call('a'), call('b')], [result('a')]),
    taken: round([call('a'), call('b')], [result('a'), result('b'), text('Go on.')]),
  },
  {
    rule: 'results before text',
    message: /^messages\.1: `tool_use` ids were found without `tool_result` blocks immediately after: a\./,
    body: round([call('a')], [text('Here.'), result('a')]),
    taken: round([call('a')], [result('a'), text('Here.')]),
  },
  {
    rule: 'result without a call',
    message:
      'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: X. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    body: say(user([result('X')])),
    taken: round([call('X')], [result('X')]),
  },
  {
    rule: 'server tool without its result',
    message:
      'messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block',
    body: round([search], 'Go on.'),
    taken: round([search, found], 'Go on.'),
  },
  {
    rule: 'unique call ids',
    message: 'messages.1.content.1: `tool_use` ids must be unique',
    body: round([call('a'), call('a')], [result('a')]),
    taken: round([call('a'), call('b')], [result('a'), result('b')]),
  },
  {
    rule: 'one result for a call',
    message:
      'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
    body: round([call('a')], [result('a'), result('a')]),
    taken: round([call('a')], [result('a')]),
  },
  {
    rule: 'characters of ids',
    message: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    body: round([call('a.b')], [result('a.b')]),
    taken: round([call('a_b-1')], [result('a_b-1')]),
  },
  {
    rule: 'input is an object',
    message: 'messages.1.content.0.tool_use.input: Input should be a valid dictionary',
    body: round([call('a', { input: '{}' })], [result('a')]),
    taken: round([call('a', { input: { path: 'x' } })], [result('a')]),
  },
  {
    rule: 'no result in an assistant message',
    message: 'messages.1: `tool_result` blocks can only be in `user` messages',
    body: say(user('Go.'), assistant([result('a')]), user('Go on.')),
    taken: say(user('Go.'), assistant([text('Yes.')]), user('Go on.')),
  },
  {
    rule: 'tool blocks need tools',
    message: 'Requests which include `tool_use` or `tool_result` blocks must define tools.',
    body: { ...round([call('a')], [result('a')]), tools: [] },
    taken: { ...say(user('Go.')), tools: [] },
  },
  {
    rule: 'empty text',
    message: 'messages: text content blocks must be non-empty',
    body: say(user([text('')])),
    taken: say(user([text('.')])),
  },
  {
    rule: 'blank text',
    message: 'messages: text content blocks must contain non-whitespace text',
    body: say(user([text(' \n')])),
    taken: say(user([text(' \n.')])),
  },
  {
    rule: 'empty message',
    message: 'messages.0: all messages must have non-empty content except for the optional final assistant message',
    body: say(user([]), user('Go.')),
    taken: say(user('Go.'), user('Go on.')),
  },
  {
    rule: 'white space at the end of a prefill',
    message: 'messages: final assistant content cannot end with trailing whitespace',
    body: { ...say(user('Go.'), assistant('I ')), model: 'claude-haiku-4-5' },
    taken: { ...say(user('Go.'), assistant('I')), model: 'claude-haiku-4-5' },
  },
  {
    rule: 'no prefill since 4.6',
    message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
    body: say(user('Go.'), assistant('I')),
    taken: { ...say(user('Go.'), assistant('I')), model: 'claude-haiku-4-5' },
  },
  {
    rule: 'the user begins',
    message: 'messages: first message must use the "user" role',
    body: say(assistant('Hello.'), user('Go.')),
    taken: say(user('Hello.'), user('Go.')),
  },
  {
    rule: 'no system message first',
    message: /^messages\.0: use the top-level 'system' parameter for the initial system prompt/,
    body: say({ role: 'system', content: 'Be brief.' }, user('Go.')),
    taken: { ...say(user('Go.')), system: 'Be brief.' },
  },
  {
    rule: 'the place of a system message',
    message: /^messages\.2: role 'system' must follow a 'user' message/,
    body: say(user('Go.'), assistant('Yes.'), { role: 'system', content: 'Be brief.' }, user('Go on.')),
    taken: say(user('Go.'), assistant('Yes.'), user('Go on.'), { role: 'system', content: 'Be brief.' }),
  },
  {
    rule: 'system messages on models that take them',
    message: "role 'system' is not supported on this model",
    body: { ...say(user('Go.'), { role: 'system', content: 'Be brief.' }), model: 'claude-haiku-4-5' },
    taken: say(user('Go.'), { role: 'system', content: 'Be brief.' }),
  },
  {
    rule: 'at most four markers, including that of the request',
    message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    body: { ...say(user([1, 2, 3, 4].map((n) => text(`${n}`, marked)).concat(text('5')))), ...marked },
    taken: say(user([1, 2, 3, 4].map((n) => text(`${n}`, marked)))),
  },
  {
    rule: 'long markers before short ones',
    message:
      "messages.0.content.1.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: tools, system, messages.",
    body: say(user([text('a', marked), text('b', hour)])),
    taken: say(user([text('a', hour), text('b', marked)])),
  },
  {
    rule: "the request's marker and that of the last block",
    message: "Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'",
    body: { ...say(user([text('a', hour)])), ...marked },
    taken: { ...say(user([text('a', hour)])), ...hour },
  },
  {
    rule: 'no marker on empty text',
    message: 'messages.0.content.1.text: cache_control cannot be set for empty text blocks',
    body: say(user([text('a'), text('', marked)])),
    taken: say(user([text('a', marked)])),
  },
  {
    rule: 'adaptive thinking only',
    message:
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    body: { ...say(user('Go.')), thinking: { type: 'enabled', budget_tokens: 1024 } },
    taken: { ...say(user('Go.')), thinking: { type: 'adaptive' } },
  },
  {
    rule: 'no adaptive thinking',
    message: 'adaptive thinking is not supported on this model',
    body: { ...say(user('Go.')), model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } },
    taken: { ...say(user('Go.')), model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 1024 } },
  },
  {
    rule: 'thinking at the start of a tool loop',
    message:
      /^messages\.1\.content\.0\.type: Expected thinking or redacted_thinking, but found tool_use\. When thinking is enabled, a final assistant message must start with a thinking block/,
    body: {
      ...round([call('a')], [result('a')]),
      model: 'claude-haiku-4-5',
      thinking: { type: 'enabled', budget_tokens: 1024 },
    },
    taken: { ...round([call('a')], [result('a')]), model: 'claude-haiku-4-5' },
  },
  {
    rule: 'thinking is signed',
    message: 'messages.1.content.0.thinking.signature: Field required',
    body: say(user('Go.'), assistant([{ type: 'thinking', thinking: 'x' }, text('a')]), user('Go on.')),
    taken: say(user('Go.'), assistant([text('a')]), user('Go on.')),
  },
  {
    rule: 'no forced tool',
    message: 'tool_choice: type "tool" and "any" are not supported for this model.',
    body: { ...say(user('Go.')), tool_choice: { type: 'any' } },
    taken: { ...say(user('Go.')), tool_choice: { type: 'any' }, model: 'claude-sonnet-5' },
  },
  {
    rule: 'prompt too long',
    message: /^prompt is too long: 10\d\d\d tokens > 10000 maximum$/,
    body: { ...say(user(words(10_001))), model: 'small' },
    taken: { ...say(user(words(9000))), model: 'small' },
  },
  {
    rule: 'input and output together too long, before 4.5',
    message:
      /^input length and `max_tokens` exceed context limit: 9\d\d\d \+ 1000 > 10000, decrease input length or `max_tokens` and try again$/,
    body: { ...say(user(words(9500))), model: 'small-old', max_tokens: 1000 },
    taken: { ...say(user(words(9500))), model: 'small', max_tokens: 1000 },
  },
  {
    rule: 'many images are small',
    message:
      'messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    body: say(user([...Array(20).fill(image(20)), image(2001)])),
    taken: say(user([...Array(20).fill(image(20)), image(2000)])),
  },
  {
    rule: 'images of 8000 pixels',
    message: /At least one of the image dimensions exceed max allowed size: 8000 pixels$/,
    body: say(user([image(8001)])),
    taken: say(user([image(8000)])),
  },
  {
    rule: 'number of images',
    message: 'Too much media: 0 document pages + 101 images > 100',
    body: { ...say(user(Array(101).fill(image(20)))), model: 'claude-haiku-4-5' },
    taken: { ...say(user(Array(100).fill(image(20)))), model: 'claude-haiku-4-5' },
  },
  {
    rule: 'images of ten megabytes',
    message:
      /^messages\.0\.content\.0\.image\.source\.base64: image exceeds 10 MB maximum: \d+ bytes > 10485760 bytes$/,
    body: say(user([{ ...image(20), source: { ...image(20).source, data: image(20).source.data.repeat(330_000) } }])),
    taken: say(user([{ ...image(20), source: { ...image(20).source, data: image(20).source.data.repeat(200_000) } }])),
  },
  {
    rule: 'what a result may hold',
    message:
      /^messages\.2\.content\.0\.tool_result\.content\.0: Input tag 'tool_use' found using 'type' does not match/,
    body: round([call('a')], [result('a', { content: [call('b')] })]),
    taken: round([call('a')], [result('a', { content: [text('ok'), image(20)] }), result('a')].slice(0, 1)),
  },
  {
    rule: 'no call in a user message',
    message: 'messages.0: `tool_use` blocks can only be in `assistant` messages',
    body: say(user([call('a')])),
    taken: round([call('a')], [result('a', { content: undefined })]),
  },
  {
    rule: 'nothing that the stand-in cannot do',
    message: 'context_management: Extra inputs are not permitted',
    body: { ...say(user('Go.')), context_management: { edits: [] } },
    taken: say(user('Go.')),
  },
  {
    rule: 'no unknown field',
    message: 'messages.0.content.0.text.colour: Extra inputs are not permitted',
    body: say(user([text('a', { colour: 'red' })])),
    taken: say(user([text('a')])),
  },
  {
    rule: 'no unknown field of the request',
    message: 'colour: Extra inputs are not permitted',
    body: { ...say(user('Go.')), colour: 'red' },
    taken: { ...say(user('Go.')), metadata: {} },
  },
  {
    rule: 'no binding control without its header',
    message: 'thinking.adaptive.block_binding: Extra inputs are not permitted',
    body: { ...say(user('Go.')), thinking: { type: 'adaptive', block_binding: {} } },
    taken: { ...say(user('Go.')), thinking: { type: 'adaptive' } },
  },
  {
    rule: 'at most as many tokens as the model can answer',
    message: /^max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-opus-5-5$/,
    body: { ...say(user('Go.')), max_tokens: 128_001 },
    taken: { ...say(user('Go.')), max_tokens: 128_000 },
  },
  {
    rule: 'a model that exists',
    message: 'model: claude-0',
    status: 404,
    type: 'not_found_error',
    body: { ...say(user('Go.')), model: 'claude-0' },
    taken: { ...say(user('Go.')), model: 'claude-fable-5-2' },
  },
  {
    rule: 'the size of a body',
    message: 'Request exceeds the maximum size',
    status: 413,
    type: 'request_too_large',
    body: say(user('x'.repeat(33 * 1024 * 1024))),
    taken: say(user('x'.repeat(1024))),
  },
];

const SMALL: StandInModel = {
  api: 'anthropic',
  window: 10_000,
  max_output: 2000,
  cache_minimum: 512,
  binding: 'never',
};
const MODELS = { small: SMALL, 'small-old': { ...SMALL, counts_output: true } };
const TOOLS = [{ name: 'read', input_schema: { type: 'object' } }];

test.each(ROWS)('refused: $rule', async ({ message, body, status = 400, type = 'invalid_request_error' }) => {
  const { anthropic, standIn } = await running({ models: MODELS });
  const sent = { model: 'claude-opus-5-5', max_tokens: 1100, tools: TOOLS, ...body };
  const error = await failureOf(anthropic.post('/v1/messages', { body: sent }));
  expect(error).toMatchObject({
    status,
    type,
    error: {
      type: 'error',
      error: { type, message: typeof message === 'string' ? message : expect.stringMatching(message) },
    },
    requestID: expect.stringMatching(/^req_/),
  });
  expect(standIn.requests[0]).toMatchObject({ verdict: 'refused', status });
});

test.each(ROWS)('accepted counterpart: $rule', async ({ taken }) => {
  const { anthropic } = await running({ models: MODELS });
  const sent = { model: 'claude-opus-5-5', max_tokens: 1100, tools: TOOLS, ...taken };
  expect(await anthropic.post('/v1/messages', { body: sent })).toMatchObject({ type: 'message', role: 'assistant' });
});

test('a newer model accepts a prompt that leaves no room, and stops at the end of its window', async () => {
  const { anthropic } = await running({ models: MODELS, script: () => ({ text: words(900) }) });
  const messages = [{ role: 'user' as const, content: words(9500) }];
  const { stop_reason, usage } = await anthropic.messages.create({ model: 'small', max_tokens: 2000, messages });
  expect(stop_reason).toBe('model_context_window_exceeded');
  expect(usage.input_tokens + usage.output_tokens).toBe(10_000);
});

test('requests without a key, a version, a path or JSON are refused', async () => {
  const { standIn } = await running();
  const ask = async (headers: Record<string, string>, path = '/v1/messages', body = '{}') => {
    const response = await fetch(`${standIn.url}${path}`, { method: 'POST', headers, body });
    const { error } = (await response.json()) as { error: { type: string; message: string } };
    return [response.status, error.type, error.message];
  };
  const version = { 'anthropic-version': '2023-06-01' };
  expect(await ask(version)).toEqual([401, 'authentication_error', 'x-api-key header is required']);
  const key = { 'x-api-key': 'k' };
  expect(await ask(key)).toEqual([400, 'invalid_request_error', 'anthropic-version: header is required']);
  expect(await ask({ ...key, ...version }, '/v1/else')).toEqual([404, 'not_found_error', 'Not Found']);
  expect(await ask({ ...key, ...version }, '/v1/messages', '{')).toEqual([
    400,
    'invalid_request_error',
    'The request body is not valid JSON.',
  ]);
  expect(await ask({ ...key, ...version })).toEqual([400, 'invalid_request_error', 'model: Field required']);
});
