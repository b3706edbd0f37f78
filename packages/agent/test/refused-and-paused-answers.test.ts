import { validateAnthropic } from 'holdfast/rules';
import { expect, test } from 'vitest';
import { openaiApi, type Tool } from '../src/index.ts';
import { APIS, type ApiUnderTest, KEY } from './apis.ts';
import { answerWith, messageEvents, ownServer, STOPS, stream, textBlock, toolBlock } from './own-server.ts';

const [MESSAGES, CHAT, RESPONSES] = APIS as [ApiUnderTest, ApiUnderTest, ApiUnderTest];

const noting = (ran: unknown[]): Tool => ({
  name: 'note',
  description: 'notes',
  input_schema: { type: 'object' },
  run(input) {
    ran.push(input);
    return 'noted';
  },
});
const CALL = { name: 'note', json: '{"n":1}' };

test.each(APIS)('$name: no tool of a refused answer runs, and the conversation continues', async (api) => {
  const { refusal, end } = STOPS[api.name];
  const server = await ownServer((nth, response) =>
    answerWith(
      api,
      response,
      nth === 1 ? { text: 'I cannot.', calls: [CALL], stop: refusal } : { text: 'Done.', stop: end },
    ),
  );
  const ran: unknown[] = [];
  const provider = api.provider(server, { model: api.models[1], tools: [noting(ran)] });
  const result = await provider.execute('Do it.');
  expect(result).toMatchObject({
    success: false,
    error: 'the model refused to answer: I cannot.',
    errorCategory: 'invalid_request',
    requests: 1,
  });
  expect(ran).toEqual([]);
  const next = await provider.execute('Then this.', { conversationState: result.conversationState });
  expect(next).toMatchObject({ success: true, output: 'Done.' });
  expect(JSON.stringify(server.bodies[1])).not.toContain('call_0');
});

test('chat: an answer with a refusal counts as refused, whatever else it contains', async () => {
  const server = await ownServer((_, response) => {
    const function_ = { name: 'note', arguments: '{}' };
    const delta = { refusal: 'No.', tool_calls: [{ index: 0, id: 'a', type: 'function', function: function_ }] };
    stream(response, [{ id: 'c', choices: [{ index: 0, delta, finish_reason: 'stop' }] }], true);
  });
  const ran: unknown[] = [];
  const result = await CHAT.provider(server, { tools: [noting(ran)] }).execute('Do it.');
  expect(result).toMatchObject({ success: false, error: 'the model refused to answer: No.' });
  expect(ran).toEqual([]);
});

/** What models that take no answer to be completed would refuse of these requests. */
function wrong(bodies: readonly Record<string, unknown>[]): unknown[] {
  return bodies.flatMap(({ messages }) =>
    validateAnthropic(messages as Parameters<typeof validateAnthropic>[0], { model: { prefill: false } }),
  );
}

test('a paused answer is sent back unchanged and continued as one answer', async () => {
  const search = toolBlock('server_tool_use', 'srvtoolu_1', { name: 'web_search', json: '{"query":"q"}' });
  const found = {
    start: { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
  };
  const server = await ownServer((nth, response) => {
    if (nth === 1) stream(response, messageEvents([textBlock('First. '), search], 'pause_turn'));
    else if (nth === 2) stream(response, messageEvents([found, textBlock('Found it, \n')], 'pause_turn'));
    else stream(response, messageEvents([textBlock('and done.')], 'end_turn'));
  });
  const result = await MESSAGES.provider(server, { model: 'claude-opus-5-5' }).execute('Look it up.');
  expect(result).toMatchObject({ success: true, output: 'First. Found it, \nand done.', requests: 3 });
  expect(wrong(server.bodies)).toEqual([]);
  const [, second, third] = server.bodies.map(({ messages }) => messages as { role: string; content: unknown }[]);
  expect(second?.at(-1)).toMatchObject({
    role: 'assistant',
    content: [{ text: 'First. ' }, { type: 'server_tool_use', input: { query: 'q' } }],
  });
  expect(third?.at(-1)?.role).toBe('user');
});

test('a paused answer that was never continued does not end the conversation', async () => {
  const search = toolBlock('server_tool_use', 'srvtoolu_1', { name: 'web_search', json: '{"query":"q"}' });
  const server = await ownServer((nth, response) =>
    stream(
      response,
      nth === 1 ? messageEvents([search], 'pause_turn') : messageEvents([textBlock('Done.')], 'end_turn'),
    ),
  );
  const provider = MESSAGES.provider(server, { model: 'claude-opus-5-5', system: ' \n' });
  const { conversationState } = await provider.execute('Look it up.', { max_requests: 1 });
  const next = await provider.execute('Never mind.', { conversationState });
  expect(next).toMatchObject({ success: true, output: 'Done.' });
  expect(wrong(server.bodies)).toEqual([]);
  expect(server.bodies[1]).not.toHaveProperty('system');
});

test('endless pauses are an error, and the conversation can continue', async () => {
  const server = await ownServer((nth, response) =>
    stream(response, messageEvents([textBlock(`wait ${nth} `)], nth > 40 ? 'end_turn' : 'pause_turn')),
  );
  const provider = MESSAGES.provider(server, { model: 'claude-opus-5-5' });
  const result = await provider.execute('Look it up.');
  expect(result).toMatchObject({ success: false, errorCategory: 'timeout', requests: 11, iterationComplete: false });
  expect(result.error).toMatch(/paused 11 times in a row/);
  const next = await provider.execute('Go on.', { conversationState: result.conversationState, max_requests: 1 });
  expect(next.error).toMatch(/max_requests/);
  expect(wrong(server.bodies)).toEqual([]);
});

test('responses: the answer may be only in the last event, or only in the deltas', async () => {
  const content = [{ type: 'output_text', text: 'Hello.' }];
  const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }];
  const completed = (items: readonly object[]) => ({
    type: 'response.completed',
    response: { status: 'completed', output: items },
  });
  const server = await ownServer((nth, response) => {
    if (nth === 1) stream(response, [completed(output)]);
    else stream(response, [{ type: 'response.output_text.delta', delta: 'Again.' }, completed([])]);
  });
  const provider = RESPONSES.provider(server, { model: 'gpt-6-sol' });
  const heard: string[] = [];
  const first = await provider.execute('Hello.', {
    onEvent: (event) => event.type === 'text-delta' && heard.push(event.text),
  });
  expect(first).toMatchObject({ success: true, output: 'Hello.' });
  expect(heard).toEqual(['Hello.']);
  const second = await provider.execute('Again.', { conversationState: first.conversationState });
  expect(second).toMatchObject({ success: true, output: 'Again.' });
  expect(JSON.stringify(server.bodies[1])).toContain('"text":"Hello."');
});

test('messages: blocks without a stop event are complete at the end of the answer', async () => {
  const server = await ownServer((nth, response) => {
    const bare = toolBlock('tool_use', 'toolu_1', { name: 'note', json: '' });
    stream(
      response,
      nth === 1
        ? messageEvents([textBlock('Noting.'), bare], 'end_turn', false)
        : messageEvents([textBlock('Done.')], 'end_turn', false),
    );
  });
  const ran: unknown[] = [];
  const result = await MESSAGES.provider(server, { tools: [noting(ran)] }).execute('Note.');
  expect(result).toMatchObject({ success: true, output: 'Done.', requests: 2 });
  expect(ran).toEqual([{}]);
});

test.each(APIS)(
  '$name: calls that an API would not accept back are repaired, and the model learns about it',
  async (api) => {
    const { calls, end } = STOPS[api.name];
    const server = await ownServer((nth, response) =>
      answerWith(
        api,
        response,
        nth === 1
          ? {
              text: 'Half \ud83d',
              calls: [
                { name: 'note', json: '{"half":"a\\ud83d","whole":"\\ud83d\\ude00"}' },
                { name: 'note', json: '{"cut": [1, ' },
                { name: '', json: '{}' },
                { name: 'a tool', json: '{}' },
              ],
              stop: calls,
            }
          : { text: 'Done.', stop: end },
      ),
    );
    const ran: unknown[] = [];
    const provider = api.provider(server, { model: api.models[1], tools: [noting(ran)] });
    expect(await provider.execute('Note.')).toMatchObject({ success: true, output: 'Done.' });
    expect(ran).toEqual([{ half: 'a\ufffd', whole: '😀' }]);
    const sent = JSON.stringify(server.bodies[1]);
    expect(sent).not.toMatch(/\\ud83d(?!\\ude00)|"name":""|"name":"a tool"/);
    expect(sent).toContain('Half \ufffd');
    expect(sent).toContain('half of a character');
    expect(sent).toContain(
      'Not run: the arguments are not a JSON object, or are nested over 400 levels deep. Send them again. They began:',
    );
    expect(sent).toMatch(/There is no tool unnamed\..*There is no tool a_tool\./);
    const cut = sent.match(/\{\\+"cut/g) ?? [];
    expect(cut, 'only in the result').toHaveLength(1);
  },
);

test('an unknown API is refused', () => {
  const api = 'respones' as 'responses';
  expect(() => openaiApi({ api, api_key: KEY })).toThrow('invalid api "respones": expected "chat" or "responses"');
});
