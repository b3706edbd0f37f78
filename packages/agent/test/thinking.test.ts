import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifySession } from '@holdfast/sessions';
import type { Prompt, Script, StandIn } from '@holdfast/stand-in';
import { validateOpenaiResponses } from 'holdfast/rules';
import { expect, onTestFinished, test } from 'vitest';
import { openChat } from '../src/chat/index.ts';
import { anthropicApi, type Checkpoint, openaiApi, resumeFrom, type Tool } from '../src/index.ts';
import { APIS, KEY, refused, standing } from './apis.ts';
import { keptStore } from './chat/chat-on-stand-in.ts';

const note: Tool = {
  name: 'note',
  description: 'notes',
  input_schema: { type: 'object', properties: {} },
  run: () => 'line of a result\n'.repeat(100),
};

/** As models do that think before they act, and not between their calls: `calls` of them for each prompt. */
function thinksOnce(calls: number): Script {
  let made = 0;
  return ({ results }: Prompt) => {
    if (results.length === 0) made = 0;
    if (made === calls) return { text: 'Done.' };
    const call = { name: 'note', input: { n: ++made } };
    return { ...(made === 1 ? { thinking: 'First a plan.' } : {}), text: `Step ${made}.`, calls: [call] };
  };
}

/** Who asked for thinking, request by request. */
function asked(requests: readonly { readonly path: string; readonly body?: unknown }[]): boolean[] {
  const sent = requests.filter(({ path }) => path === '/v1/messages');
  return sent.map(({ body }) => (body as { thinking?: unknown }).thinking !== undefined);
}

test.each(['claude-haiku-4-5', 'claude-sonnet-4-5', 'claude-sonnet-4-0'])(
  '%s: calls whose first thinking was folded continue without thinking, and the next prompt has it again',
  async (model) => {
    const standIn = await standing({ script: thinksOnce(20), keep_bodies: 1_000 });
    const provider = anthropicApi({ base_url: standIn.url, api_key: KEY, model, thinking: true, tools: [note] });
    for (const conversation of [{ max_messages: 12 }, { max_tokens: 6_000, strategy: 'sliding' as const }]) {
      const from = standIn.requests.length;
      const first = await provider.execute('Go.', { conversation });
      expect(first).toMatchObject({ success: true, output: 'Done.' });
      expect(first.folds).toBeGreaterThan(1);
      const second = await provider.execute('Go on.', { conversation, conversationState: first.conversationState });
      expect(second.success).toBe(true);
      const thinking = asked(standIn.requests.slice(from));
      expect([thinking[0], thinking[20], thinking[21]]).toEqual([true, false, true]);
    }
    expect(refused(standIn)).toEqual([]);
  },
);

test('an interrupted execution resumes with another system prompt or model, and with thinking turned on', async () => {
  const standIn = await standing({ script: thinksOnce(6) });
  const options = { base_url: standIn.url, api_key: KEY, tools: [note], conversation: { max_messages: 8 } };
  const provider = anthropicApi({ ...options, model: 'claude-haiku-4-5', system: 'S' });
  for (const thinking of [true, false]) {
    const reached: Checkpoint[] = [];
    await provider.execute('Go.', { thinking, onCheckpoint: (checkpoint) => void reached.push(checkpoint) });
    for (const at of [2, 4, 7, 10, 16]) {
      const conversationState = JSON.parse(JSON.stringify(resumeFrom(reached.slice(0, at))));
      for (const change of [{}, { system: 'T' }, { model: 'claude-sonnet-4-5' }]) {
        const ended = await provider.execute('', { thinking: true, conversationState, ...change });
        const next = await provider.execute('More.', {
          thinking: true,
          conversationState: ended.conversationState,
          ...change,
        });
        expect([ended.success, next.success], `${thinking} ${at} ${JSON.stringify(change)}`).toEqual([true, true]);
      }
    }
  }
  expect(refused(standIn)).toEqual([]);
});

/** Thinks before each answer, and calls once for each prompt. */
const thinksAlways: Script = ({ results, tools }) =>
  results.length > 0 || tools.length === 0
    ? { thinking: 'Enough.', text: 'Done.' }
    : { thinking: 'Hm.', calls: [{ name: 'note', input: {} }] };

const THINKING = APIS.filter(({ name }) => name !== 'openai-chat');

test.each(THINKING)('$name: thinking signed by another server is removed for good, with a warning', async (api) => {
  const [first, second] = [
    await standing({ script: thinksAlways, secret: 'one' }),
    await standing({ script: thinksAlways, secret: 'two' }),
  ];
  const warnings: string[] = [];
  const logger = { debug: () => {}, info: () => {}, warn: (line: string) => void warnings.push(line) };
  const options = { model: api.models[0], thinking: true, tools: [note], logger };
  const reached: Checkpoint[] = [];
  const began = await api
    .provider(first, options)
    .execute('Go.', { onCheckpoint: (checkpoint) => void reached.push(checkpoint) });
  const provider = api.provider(second, options);
  const isRefused = () => refused(second).length;
  for (const conversationState of [began.conversationState, resumeFrom(reached.slice(0, 2))]) {
    const before = isRefused();
    const next = await provider.execute('Go on.', { conversationState });
    expect(next).toMatchObject({ success: true, output: 'Done.' });
    expect([isRefused() - before, warnings.length]).toEqual([1, 1]);
    expect(warnings.pop()).toMatch(
      /(?:could not be verified|Invalid `signature`|Corrupted thought signature).*\(retrying without the thinking so far\)/,
    );
    const last = await provider.execute('And on.', { conversationState: next.conversationState });
    expect([last.success, isRefused() - before, warnings]).toEqual([true, 1, []]);
  }
});

test.each(THINKING)(
  '$name: a session whose thinking was rejected once is not rejected again after reopening',
  async (api) => {
    const store = await keptStore();
    const [model] = api.models;
    const [first, second] = [
      await standing({ script: thinksAlways, secret: 'one' }),
      await standing({ script: thinksAlways, secret: 'two' }),
    ];
    const open = (standIn: StandIn, session?: string) =>
      openChat({
        store,
        speaker: { provider: api.provider(standIn), name: api.name, model },
        tools: [note],
        conversation: { max_messages: 14 },
        options: { thinking: true },
        ...(session === undefined ? {} : { session }),
      });
    const chat = await open(first);
    await chat.say('Go.');
    for (const words of ['Go on.', 'And on.', 'And on.', 'And on.'])
      expect((await (await open(second, chat.session)).say(words)).error).toBeUndefined();
    expect(refused(second)).toHaveLength(1);
    expect((await verifySession(store, chat.session ?? '')).problems).toEqual([]);
  },
);

test('openai-responses: reasoning of another model is not sent, and the item after it loses its id', async () => {
  const standIn = await standing({ script: thinksAlways, keep_bodies: 100 });
  const provider = openaiApi({ api: 'responses', base_url: `${standIn.url}/v1`, api_key: KEY, tools: [note] });
  const first = await provider.execute('Go.', { model: 'gpt-6-sol' });
  const same = await provider.execute('Go on.', { model: 'gpt-6-sol', conversationState: first.conversationState });
  expect(items(standIn)).toContain('reasoning rs_');
  const other = await provider.execute('Go on.', { model: 'gpt-4.1', conversationState: first.conversationState });
  expect([same.success, other.success]).toEqual([true, true]);
  expect(items(standIn)).toEqual(
    expect.arrayContaining(['user', 'function_call', 'function_call_output', 'message', 'user']),
  );
  expect(items(standIn).slice(0, 5).join()).not.toMatch(/reasoning|fc_|msg_/);
  expect(refused(standIn)).toEqual([]);
});

/** The items of the newest request that has any, by what they are and how their ids begin. */
function items({ requests }: { readonly requests: readonly { readonly body?: unknown }[] }): string[] {
  const bodies = requests.map(({ body }) => body as { input?: { type?: string; role?: string; id?: string }[] });
  const input = bodies.findLast((body) => body?.input)?.input ?? [];
  return input.map(({ type, role, id = '' }) => `${type ?? role} ${id.slice(0, id.indexOf('_') + 1)}`.trim());
}

test('openai-responses: reasoning without its encrypted content is not sent back', async () => {
  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'note', arguments: '{}', status: 'completed' },
  ];
  const end = [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }];
  const bodies: { readonly input: readonly object[] }[] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join('') || '{}');
    if (!request.url?.endsWith('/responses')) return void response.writeHead(404).end('{}');
    const answer = bodies.push(body) === 1 ? output : end;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (event: object) => response.write(`data: ${JSON.stringify(event)}\n\n`);
    for (const item of answer) say({ type: 'response.output_item.done', item });
    say({ type: 'response.completed', response: { model: 'local', status: 'completed', output: answer } });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const result = await openaiApi({ api: 'responses', base_url, api_key: KEY, tools: [note] }).execute('Go.');
  expect(result).toMatchObject({ success: true, output: 'Done.' });
  expect(validateOpenaiResponses(bodies[1]?.input ?? [], { store: false })).toEqual([]);
  expect(JSON.stringify(bodies[1])).not.toMatch(/rs_1|fc_1/);
});

test('an interrupted execution resumes without tools: its calls and results become text', async () => {
  const standIn = await standing({ script: thinksAlways, keep_bodies: 100 });
  const provider = anthropicApi({ base_url: standIn.url, api_key: KEY, model: 'claude-opus-5-5', thinking: true });
  const reached: Checkpoint[] = [];
  await provider.execute('Go.', { tools: [note], onCheckpoint: (checkpoint) => void reached.push(checkpoint) });
  for (const at of [2, 3, 4]) {
    const conversationState = resumeFrom(reached.slice(0, at));
    const ended = await provider.execute('', { conversationState });
    expect(ended.success, ended.error).toBe(true);
    expect(JSON.stringify(standIn.requests.at(-1)?.body)).toContain('[Called note with {}]');
    const next = await provider.execute('More.', { conversationState: ended.conversationState });
    expect(next.success, next.error).toBe(true);
  }
  expect(refused(standIn)).toEqual([]);
});

test('a blank system prompt is left out', async () => {
  const standIn = await standing({ script: () => ({ text: 'Done.' }) });
  for (const api of APIS) {
    const result = await api.provider(standIn, { system: ' \n', tools: [note] }).execute('Go.');
    expect(result.success, result.error).toBe(true);
  }
  expect(JSON.stringify(standIn.requests.map(({ body }) => body))).not.toMatch(/system|developer/);
});

test('warns if an answer has no room for thinking', async () => {
  const standIn = await standing({ script: () => ({ text: 'Done.' }) });
  const warnings: string[] = [];
  const logger = { debug: () => {}, info: () => {}, warn: (line: string) => void warnings.push(line) };
  const options = { base_url: standIn.url, api_key: KEY, model: 'claude-haiku-4-5', thinking: true, logger };
  await anthropicApi(options).execute('Go.', { max_output: 1_025 });
  expect(warnings).toEqual([]);
  await anthropicApi(options).execute('Go.', { max_output: 1_024 });
  expect(warnings).toEqual([expect.stringContaining('max_output is 1024')]);
});
