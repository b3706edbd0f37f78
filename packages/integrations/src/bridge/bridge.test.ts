import { sqlite, type WireMessage } from '@holdfast/sessions';
import { type AiSdkMessage, validateAiSdk } from 'holdfast/rules';
import { expect, test, vi } from 'vitest';
import { createBridge } from './bridge.ts';
import type { Wires } from './form.ts';
import type { HoldfastEvent, HoldfastOptions } from './options.ts';
import { answerTo } from './resend.ts';

/** Calls of a tool with results of about 1,000 tokens. */
function history(calls: number): WireMessage[] {
  const turns = Array.from({ length: calls }, (_, i): WireMessage[] => {
    const call = { toolCallId: `call-${i}`, toolName: 'read_file' };
    const value = `file ${i}\n${'a line of this file\n'.repeat(200)}`;
    return [
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { path: `${i}.ts` } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value } }] },
    ];
  });
  return [{ role: 'user', content: [{ type: 'text', text: 'Read all files.' }] }, ...turns.flat()];
}

function open({ onEvent = () => undefined, ...more }: Partial<HoldfastOptions>) {
  const form = {
    toWire: (message: WireMessage) => message,
    fromWire: ([message]: Wires) => message,
  };
  return createBridge('test', { max_tokens: 5_000, onEvent, ...more }, form);
}

const thrown = () => {
  throw new Error('a mistake in the listener');
};
test.each([
  ['throws', thrown],
  ['fails later', async () => thrown()],
])('a listener that %s stops neither the agent nor the fold', async (_, fail) => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const events: string[] = [];
  const onEvent = ({ type }: HoldfastEvent) => {
    events.push(type);
    return fail();
  };
  const { messages } = await open({ onEvent }).fit({ messages: history(20), model: 'm' });
  expect(events).toEqual(['fold-end']);
  expect(messages.length).toBeLessThan(20);
  expect(warn.mock.calls.flat()).toEqual(['holdfast: onEvent threw on fold-end: Error: a mistake in the listener']);
  warn.mockRestore();
});

test.each([undefined, null, 5, {}, '', 'm1', 'm1@unknown'])(
  '%o is not a handle, and the model reads why',
  async (given) => {
    const [{ text } = {}] = await open({}).recall({ handle: given });
    expect(text).toMatch(/is not a handle|is not stored here/);
  },
);

test('a store that fails while the model recalls does not stop the agent', async () => {
  const store = await sqlite(':memory:');
  const bridge = open({ store });
  await store.close();
  const [{ text } = {}] = await bridge.recall({ handle: 'm1@0123456789abc' });
  expect(text).toContain('cannot be read');
});

test.each([
  ['max_tokens', { max_tokens: Number.NaN }],
  ['max_tokens', { max_tokens: 0 }],
  ['strategy', { strategy: 'none' as never }],
  ['target', { target: 5 }],
  ['reserve', { limit: 8_000, reserve: 9_000 }],
  ['store', { store: 'sessions.db' as never }],
  ['store', { store: {} as never }],
  ['store', { store: null as never }],
  ['store_timeout_ms', { store_timeout_ms: -1 }],
  ['store_timeout_ms', { store_timeout_ms: '5' as never }],
  ['store_timeout_ms', { store_timeout_ms: Number.POSITIVE_INFINITY }],
  ['onEvent', { onEvent: 'console' as never }],
  // Keys that a window has, and that would do nothing here.
  ['max_messages', { max_messages: 20 } as never],
  ['summarize_on_trim', { summarize_on_trim: true } as never],
  ['maxTokens', { maxTokens: 5_000 } as never],
])('a wrong %s is an error at once', (key, options) => {
  expect(() => open(options)).toThrow(
    expect.objectContaining({ code: 'BAD_CONFIG', message: expect.stringContaining(key) }),
  );
});

test('what is neither a text nor a number names no conversation', async () => {
  const events: HoldfastEvent[] = [];
  const bridge = open({ onEvent: (event) => events.push(event) });
  for (const conversation of [{ id: 1 }, Object.create(null), null, undefined])
    await bridge.fit({ messages: history(20), model: 'm', conversation });
  expect(events.map(({ type }) => type)).toEqual(['fold-end']);
});

test('a number names a conversation, too', async () => {
  const conversations: string[] = [];
  const onEvent = (event: HoldfastEvent) => conversations.push(`${event.type} ${event.conversation}`);
  const bridge = open({ onEvent });
  for (const conversation of [7, '7', 8]) await bridge.fit({ messages: history(20), model: 'm', conversation });
  expect(new Set(conversations).size).toBe(2);
  expect(conversations.filter((event) => !event.startsWith('fold-end'))).toEqual([]);
});

test('requests of one conversation at the same time wait for each other', async () => {
  const store = await sqlite(':memory:');
  const events: HoldfastEvent[] = [];
  const bridge = open({ store, onEvent: (event) => events.push(event) });
  const all = history(25);
  const ends = [41, 43, 45, 47, 49, 51];
  const views = await Promise.all(
    ends.map((end) => bridge.fit({ messages: all.slice(0, end), model: 'm', conversation: 'one' })),
  );
  expect(events.map(({ type }) => type)).not.toContain('view-fail');
  expect((await store.list()).map(({ messages }) => messages)).toEqual([51]);
  for (const [at, { messages }] of views.entries()) {
    expect(messages.length).toBeLessThan(20);
    expect(messages.at(-1)).toBe(all[(ends[at] ?? 0) - 1]);
  }
});

test('a store that hangs does not hang the agent, whose views stay bounded', async () => {
  const working = await sqlite(':memory:');
  let hangs = false;
  const never = new Promise<never>(() => undefined);
  const store = {
    ...working,
    info: (session: string) => (hangs ? never : working.info(session)),
    list: () => (hangs ? never : working.list()),
    append: (...given: Parameters<typeof working.append>) => (hangs ? never : working.append(...given)),
  };
  const events: HoldfastEvent[] = [];
  const bridge = open({ store, store_timeout_ms: 50, onEvent: (event) => events.push(event) });
  const all = history(22);
  const before = await bridge.fit({ messages: all.slice(0, 41), model: 'm', conversation: 'one' });
  expect(before.messages.length).toBeLessThan(20);
  hangs = true;
  await before.answered({ input_tokens: 4_000 });
  const after = await bridge.fit({ messages: all, model: 'm', conversation: 'one' });
  expect(after.messages.slice(-2)).toEqual(all.slice(-2));
  expect(after.messages.length).toBeLessThan(20);
  expect(events.at(-1)).toMatchObject({
    type: 'view-fail',
    problem: { message: expect.stringContaining('did not answer') },
  });
  const [{ text } = {}] = await bridge.recall({ handle: 'm1@0123456789abc' });
  expect(text).toContain('did not answer');
});

test('another process continues between two folds, although its messages have fields that a store leaves out', async () => {
  const store = await sqlite(':memory:');
  const messages = history(22).map((message) => ({ ...message, providerOptions: undefined }));
  for (const end of [41, 43, 45])
    await open({ store, max_tokens: 8_000 }).fit({ messages: messages.slice(0, end), model: 'm' });
  const sessions = await store.list();
  expect(sessions.map((session) => session.messages)).toEqual([45]);
});

type Part = Readonly<Record<string, unknown>>;
test.each<[string, (part: Part) => Part]>([
  ['clears an old result that was folded', (part) => ('output' in part ? { ...part, output: CLEARED } : part)],
  [
    'loads calls with their keys in another order',
    (part) => ('input' in part ? { ...part, input: turned(part) } : part),
  ],
])('a framework that %s continues its conversation', async (_, change) => {
  const store = await sqlite(':memory:');
  const messages = history(22).map(
    withParts((part) => ('input' in part ? { ...part, input: { more: true, ...(part.input as object) } } : part)),
  );
  const bridge = open({ store });
  await bridge.fit({ messages: messages.slice(0, 43), model: 'm' });
  const changed = messages.map((message, at) => (at < 10 ? withParts(change)(message) : message));
  await bridge.fit({ messages: changed, model: 'm' });
  expect((await store.list()).map((session) => session.messages)).toEqual([45]);
});

const CLEARED = { type: 'text', value: '[cleared]' };

function turned({ input }: Part): object {
  return Object.fromEntries(Object.entries(input as object).reverse());
}

function withParts(change: (part: Part) => Part) {
  return (message: WireMessage) => ({ ...message, content: (message.content as Part[]).map(change) });
}

test('a conversation without a name that branches off another learns no handle of what the other says later', async () => {
  const store = await sqlite(':memory:');
  const bridge = open({ store });
  const says = (text: string): WireMessage[] => [
    { role: 'assistant', content: [{ type: 'text', text: 'I have read them.' }] },
    { role: 'user', content: [{ type: 'text', text }] },
  ];
  const common = history(20);
  const ask = async (...texts: string[]) => {
    const messages = [...common, ...texts.flatMap(says)];
    return JSON.stringify((await bridge.fit({ messages, model: 'm', recall: 'recall' })).messages);
  };
  await ask();
  await ask('My name is Ann.');
  await ask('My name is Ann.', 'My secret is 1234.');
  const seen = await ask('My name is Bob.');
  const scopes = new Set([...seen.matchAll(/\bm\d+@([0-9a-z]{13})/g)].map(([, scope]) => scope));
  expect(scopes.size).toBe(1);
  for (const scope of scopes) {
    const recalled = await Promise.all(
      Array.from({ length: 50 }, (_, at) => bridge.recall({ handle: `m${at}@${scope}` })),
    );
    expect(JSON.stringify(recalled)).toContain('file 3\\na line of this file');
    expect(JSON.stringify(recalled)).not.toMatch(/Ann|1234/);
  }
  await store.close();
});

test('a store that cannot be opened is named on the console once, whoever listens', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  const events: string[] = [];
  const bridge = open({ store: Promise.reject(new Error('no disk')), onEvent: ({ type }) => events.push(type) });
  for (const calls of [2, 3, 4]) await bridge.fit({ messages: history(calls), model: 'm' });
  expect(events).toEqual(['view-fail', 'view-fail', 'fold-end', 'view-fail']);
  expect(warn.mock.calls.flat()).toEqual([
    'holdfast: cannot open the store, so conversations are kept in memory alone: no disk',
  ]);
  warn.mockRestore();
});

test('a store that never opens does not hang the agent', async () => {
  const events: string[] = [];
  const store = new Promise<never>(() => undefined);
  const bridge = open({ store, store_timeout_ms: 1, onEvent: ({ type }) => events.push(type) });
  const messages = history(3);
  expect((await bridge.fit({ messages, model: 'm' })).messages).toEqual(messages);
  expect(events).toEqual(['view-fail']);
});

test('a call without a result, as of an interrupted tool, gets a placeholder, and the conversation stays bounded', async () => {
  const store = await sqlite(':memory:');
  const events: string[] = [];
  const bridge = open({ store, onEvent: ({ type }) => events.push(type) });
  const all = history(22);
  const interrupted = all.toSpliced(32, 1, { role: 'user', content: [{ type: 'text', text: 'Go on.' }] });
  for (const end of [41, 43, 45]) {
    const { messages } = await bridge.fit({ messages: interrupted.slice(0, end), model: 'm' });
    expect(messages.length).toBeLessThan(20);
    expect(validateAiSdk(messages as unknown as AiSdkMessage[])).toEqual([]);
  }
  expect(events).not.toContain('view-fail');
  // With the placeholder.
  expect((await store.list()).map(({ messages }) => messages)).toEqual([46]);
  const { messages } = await bridge.fit({ messages: interrupted.slice(0, 33), model: 'm' });
  expect(JSON.stringify(messages)).toContain('No result was recorded');
  expect(messages.at(-1)).toBe(interrupted[32]);
});

test('only an error about thinking leads to a second attempt, whatever else it quotes', async () => {
  const messages = history(3);
  const thought = { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 's' } } };
  const [call] = (messages[1]?.content ?? []) as unknown[];
  messages[1] = { role: 'assistant', content: [thought, call] };
  const view = await open({}).fit({ messages, model: 'm' });
  const refusal = 'messages.1.content.0: Invalid `signature` in `thinking` block';
  const other = Object.assign(new Error('too many requests'), { requestBodyValues: { messages: [refusal] } });
  expect(await view.withoutThinking(other)).toBeUndefined();
  const send = vi.fn().mockRejectedValue(other);
  await expect(answerTo(view, send)).rejects.toBe(other);
  expect(send).toHaveBeenCalledTimes(1);
  const wrapped = new Error('failed', { cause: { error: { error: { message: refusal } } } });
  expect(await view.withoutThinking(wrapped)).toEqual(messages.with(1, { role: 'assistant', content: [call] }));
});

test('a recalled picture comes back as a picture', async () => {
  const picture = { type: 'file-data', mediaType: 'image/png', data: 'iVBORw0KGgo=' };
  const messages = history(20);
  const call = { toolCallId: 'call-0', toolName: 'read_file' };
  const output = { type: 'content', value: [{ type: 'text', text: 'A red dot.' }, picture] };
  messages[2] = { role: 'tool', content: [{ type: 'tool-result', ...call, output }] };
  const bridge = open({});
  const view = await bridge.fit({ messages, model: 'm', recall: 'recall' });
  const [, scope] = /@([0-9a-z]{13})\b/.exec(JSON.stringify(view.messages)) ?? [];
  const parts = await bridge.recall({ handle: `m2@${scope}` });
  expect(parts).toEqual([
    { type: 'text', text: 'A red dot.\n[image/png, 12 characters of base64]' },
    { ...picture, type: 'file' },
  ]);
});

test('tools are estimated high until an answer reports its usage, and then take no more room than they need', async () => {
  const outside = 'x'.repeat(12_000);
  const events: string[] = [];
  const onEvent = ({ type }: HoldfastEvent) => events.push(type);
  const known = open({ max_tokens: 7_700, strategy: 'sliding', onEvent });
  const { answered } = await known.fit({ messages: history(2), model: 'm', outside });
  await answered({ input_tokens: 3_000 + Math.ceil(JSON.stringify(history(2)).length / 3) });
  await known.fit({ messages: history(3), model: 'm', outside });
  expect(events).toEqual([]);
  await open({ max_tokens: 7_700, strategy: 'sliding', onEvent }).fit({ messages: history(3), model: 'm', outside });
  expect(events).toEqual(['fold-end']);
});
