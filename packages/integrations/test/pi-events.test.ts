import { type AiSdkMessage, validateAiSdk } from 'holdfast/rules';
import { expect, test } from 'vitest';
import { type HoldfastEvent, holdfast, type PiMessage, type PiTool } from '../src/pi/index.ts';
import { fromWire, toWire } from '../src/pi/messages.ts';
import { fileAt } from './scripted.ts';

type Handler = (event: object, context: object) => Promise<{ messages: PiMessage[] } | undefined>;
type Fields = PiMessage & Readonly<Record<string, unknown>>;

/** The extension's handlers and tools, as pi has them once it is loaded. */
function loaded(recall: boolean, onEvent: (event: HoldfastEvent) => void) {
  const handlers = new Map<string, Handler>();
  const tools: PiTool[] = [];
  holdfast({ max_tokens: 12_000, recall, onEvent })({
    on: (event: string, handler: unknown) => handlers.set(event, handler as Handler),
    registerTool: (tool) => tools.push(tool),
    getActiveTools: () => tools.map(({ name }) => name),
    getAllTools: () => tools,
  });
  const context = {
    model: { id: 'one' },
    sessionManager: { getSessionId: () => 'session' },
    getSystemPrompt: () => 'You read.',
  };
  const emit = (event: string, given: object) => handlers.get(event)?.(given, context);
  return { tools, emit };
}

const user = (content: unknown): Fields => ({ role: 'user', content, timestamp: 1 });
const shared = { api: 'anthropic-messages', provider: 'anthropic', model: 'one', timestamp: 2 };
const answer = (content: unknown, input: number, stopReason = 'toolUse'): Fields => ({
  ...shared,
  role: 'assistant',
  content,
  stopReason,
  usage: { input, output: 5, cacheRead: 0, cacheWrite: 0 },
});

/** Asks and reads `files` files; pi passes copies of its messages each time. */
async function run(start: readonly Fields[], files: number) {
  const events: HoldfastEvent[] = [];
  const { emit } = loaded(false, (event) => events.push(event));
  const session: Fields[] = [...start];
  let sent: readonly Fields[] = [];
  for (let n = 1; n <= files; n++) {
    const view = await emit('context', { messages: structuredClone(session) });
    sent = (view?.messages ?? []) as Fields[];
    const message = answer(
      [
        { type: 'thinking', thinking: `Next is ${n}.`, thinkingSignature: `signed ${n}` },
        { type: 'toolCall', id: `call-${n}`, name: 'read', arguments: { path: `${n}.ts` }, namespace: 'files' },
      ],
      Math.ceil(JSON.stringify(sent).length / 3.2),
    );
    await emit('message_end', { message });
    const content = [{ type: 'text', text: fileAt(`${n}.ts`) }];
    const result = { toolCallId: `call-${n}`, toolName: 'read', content, isError: false, details: { n }, timestamp: 3 };
    session.push(message, { role: 'toolResult', ...result });
  }
  return { sent, events, session };
}

test('messages keep the form of pi, and copies keep all that pi stores with a message', async () => {
  const { sent, events } = await run([user('Read all files.')], 40);
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
  expect(sent.length).toBeLessThan(60);
  expect(sent[0]).toEqual(user('Read all files.'));
  expect(JSON.stringify(sent)).toContain('[Note on');
  const calls = sent.filter(({ role, stopReason }) => role === 'assistant' && stopReason === 'toolUse');
  expect(calls.length).toBeGreaterThan(2);
  for (const { content, ...rest } of calls) {
    expect(rest).toMatchObject(shared);
    expect((content as Fields[]).at(-1)).toMatchObject({ type: 'toolCall', name: 'read', namespace: 'files' });
  }
  const results = sent.filter(({ role }) => role === 'toolResult');
  for (const { toolName, details } of results) {
    expect(toolName).toBe('read');
    expect(details).toHaveProperty('n');
  }
});

test("pi's own kinds of messages reach the model, and what pi leaves out does not", async () => {
  const start = [
    user([
      { type: 'text', text: 'What is this?' },
      { type: 'image', mimeType: 'image/png', data: 'aaaa' },
    ]),
    answer([{ type: 'toolCall', id: 'lost', name: 'read', arguments: {} }], 10, 'error'),
    { role: 'bashExecution', command: 'ls', output: 'one.ts', excludeFromContext: true, timestamp: 4 },
    { role: 'bashExecution', command: 'ls', output: 'two.ts', timestamp: 4 },
    { role: 'compactionSummary', summary: 'We read.', timestamp: 5 },
    user('Go on.'),
  ];
  const { sent, events } = await run(start, 1);
  expect(events).toEqual([]);
  expect(sent).toEqual([start[0], start[3], start[4], start[5]]);
});

test('a session stays bounded after pi was killed in the middle of a call', async () => {
  const lost = answer([{ type: 'toolCall', id: 'lost', name: 'read', arguments: { path: 'a.ts' } }], 10);
  const { sent, events } = await run([user('Read all files.'), lost, user('Go on.')], 40);
  expect(events.map(({ type }) => type)).toContain('fold-end');
  expect(events.filter(({ type }) => type === 'view-fail')).toEqual([]);
  expect(sent.length).toBeLessThan(60);
});

test('redacted thinking stays what it is in a copy', () => {
  const redacted = { type: 'thinking', thinking: '', thinkingSignature: 'data', redacted: true };
  const native = answer([redacted, { type: 'toolCall', id: 'a', name: 'read', arguments: {} }], 10);
  expect([toWire(native)].flat().map((wire) => fromWire([wire], native))).toEqual([native]);
});

test('a picture in a result is part of a valid history, and of its copies', () => {
  const picture = { type: 'image', mimeType: 'image/png', data: 'aaaa' };
  const content = [{ type: 'text', text: 'A red dot.' }, picture];
  const native: Fields = {
    role: 'toolResult',
    toolCallId: 'a',
    toolName: 'read',
    content,
    isError: false,
    timestamp: 3,
  };
  const wires = [toWire(native)].flat();
  const broken = validateAiSdk(wires as unknown as AiSdkMessage[]).map(({ rule }) => rule);
  expect(broken.filter((rule) => rule.startsWith('bad-'))).toEqual([]);
  expect(wires.map((wire) => fromWire([wire], native))).toEqual([native]);
});

test('the recall tool is there only if it was asked for', async () => {
  expect(loaded(false, () => undefined).tools).toEqual([]);
  const [tool] = loaded(true, () => undefined).tools;
  const result = await tool?.execute('one', { handle: 'm1@nothing' });
  expect(result?.content).toEqual([{ type: 'text', text: expect.stringContaining('not stored here') }]);
});

test('thinking of earlier turns is left out of a session that is new here, and all of it after a refusal', async () => {
  const { emit } = loaded(false, () => undefined);
  const thought = { type: 'thinking', thinking: 'Hm.', thinkingSignature: 's' };
  const text = { type: 'text', text: 'Yes.' };
  const call = { type: 'toolCall', id: 'a', name: 'read', arguments: {} };
  const result = {
    role: 'toolResult',
    toolCallId: 'a',
    toolName: 'read',
    content: [text],
    isError: false,
    timestamp: 3,
  };
  const messages = [user('One?'), answer([thought, text], 9, 'stop'), user('Two?'), answer([thought, call], 9), result];
  const thoughts = async () => {
    const view = await emit('context', { messages: structuredClone(messages) });
    return ((view?.messages ?? []) as Fields[]).map((message) => JSON.stringify(message).includes('thinking'));
  };
  expect(await thoughts()).toEqual([false, false, false, true, false]);
  const errorMessage = '400 messages.3.content.0: Invalid `signature` in `thinking` block';
  await emit('message_end', { message: { ...answer([], 0, 'error'), errorMessage } });
  messages.push(user('Go on.'));
  expect(await thoughts()).toEqual([false, false, false, false, false, false]);
});
