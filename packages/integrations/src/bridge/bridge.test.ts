import { type SessionStore, sqlite, type WireMessage } from '@holdfast/sessions';
import { aiSdk } from 'holdfast';
import { expect, test, vi } from 'vitest';
import { createBridge } from './bridge.ts';
import type { HoldfastEvent } from './options.ts';

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

function open({
  onEvent = () => undefined,
  store,
}: {
  onEvent?: (event: HoldfastEvent) => void;
  store?: SessionStore;
}) {
  const form = {
    dialect: aiSdk<WireMessage>(),
    toWire: (message: WireMessage) => message,
    fromWire: (message: WireMessage) => message,
  };
  return createBridge('test', { max_tokens: 5_000, onEvent, ...(store ? { store } : {}) }, form);
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
  '%o is no handle, and the model reads why',
  async (given) => {
    expect(await open({}).recall(given)).toMatch(/is not a handle|is not stored here/);
  },
);

test('a store that fails while the model recalls does not stop the agent', async () => {
  const store = await sqlite(':memory:');
  const bridge = open({ store });
  await store.close();
  expect(await bridge.recall('m1@0123456789abc')).toContain('cannot be read');
});

test('a number names a conversation, too', async () => {
  const conversations: string[] = [];
  const onEvent = (event: HoldfastEvent) => conversations.push(`${event.type} ${event.conversation}`);
  const bridge = open({ onEvent });
  for (const conversation of [7, '7', 8]) await bridge.fit({ messages: history(20), model: 'm', conversation });
  expect(new Set(conversations).size).toBe(2);
  expect(conversations.filter((event) => !event.startsWith('fold-end'))).toEqual([]);
});
