import { expect, test } from 'vitest';
import type { Tool } from '../src/index.ts';
import { APIS, type ApiUnderTest } from './apis.ts';
import { answerWith, messageEvents, ownServer, STOPS, stream, textBlock, toolBlock } from './own-server.ts';

const LEVELS = 100_000;
const DEEP = `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`;

const [MESSAGES] = APIS as [ApiUnderTest];
const NOTE: Tool = { name: 'note', description: 'notes', input_schema: { type: 'object' }, run: () => 'noted' };

// Gemini's arguments are part of the event, not a text in it.
const TEXTS = APIS.filter(({ name }) => name !== 'gemini');

test.each(TEXTS)('$name: calls with arguments nested too deep are not run, and the model learns why', async (api) => {
  const { calls, end } = STOPS[api.name];
  const server = await ownServer((nth, response) =>
    answerWith(
      api,
      response,
      nth === 1 ? { calls: [{ name: 'note', json: DEEP }], stop: calls } : { text: 'Done.', stop: end },
    ),
  );
  const result = await api.provider(server, { model: api.models[1], tools: [NOTE] }).execute('Do it.');
  expect(result).toMatchObject({ success: true, output: 'Done.', requests: 2 });
  expect(JSON.stringify(server.bodies[1])).toContain('nested over 400 levels');
});

test.each(APIS)('$name: an event nested too deep is a clear error', async (api) => {
  const server = await ownServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `${api.name === 'gemini' ? '' : 'event: error\n'}data: {"type":"error","error":${DEEP},"choices":[{"delta":${DEEP}}],"candidates":[{"content":${DEEP}}]}\n\n`,
    );
  });
  const result = await api.provider(server, { model: api.models[1] }).execute('Do it.');
  expect(result.success).toBe(false);
  expect(result.error).toMatch(/levels|"a"/);
  expect(result.error).not.toMatch(/call stack/);
});

test.each(APIS)('$name: an error body nested too deep is still reported as that error', async (api) => {
  for (const [status, body] of [
    [400, `{"error":${DEEP}}`],
    [400, DEEP],
    [200, `{"error":${DEEP}}`],
  ] as const) {
    const server = await ownServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    });
    const result = await api.provider(server, { model: api.models[1] }).execute('Do it.');
    expect(result.success).toBe(false);
    expect(result.error).toMatch(/"a"/);
    expect(result.error).not.toMatch(/call stack/);
  }
});

test('a server tool’s input nested too deep does not end the conversation', async () => {
  const search = toolBlock('server_tool_use', 'srvtoolu_1', { name: 'web_search', json: DEEP });
  const server = await ownServer((nth, response) =>
    stream(
      response,
      nth === 1 ? messageEvents([search], 'pause_turn') : messageEvents([textBlock('Done.')], 'end_turn'),
    ),
  );
  const result = await MESSAGES.provider(server, { model: 'claude-opus-5-5' }).execute('Look it up.');
  expect(result).toMatchObject({ success: true, output: 'Done.' });
});
