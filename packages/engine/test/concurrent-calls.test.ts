import { describe, expect, test } from 'vitest';
import { type Archive, ConversationWindow, memoryArchive } from '../src/index.ts';
import type { Wire } from './histories.ts';

const long = (length: number): Wire[] =>
  Array.from({ length }, (_, i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: `message ${i}` }));

/** A promise that is kept when `open` is called. */
function createGate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}

const BUSY = { code: 'WINDOW_BUSY', message: expect.stringContaining('await') };

describe('a window does one thing at a time', () => {
  test('concurrent calls are refused and do not disturb the running one', async () => {
    const kept = memoryArchive<Wire>();
    const gate = createGate();
    const archive: Archive<Wire> = { put: (entries) => gate.passed.then(() => kept.put(entries)), get: kept.get };
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { archive });
    const history = long(41);
    const first = window.fit(history);
    await expect(window.fit([...history, ...long(2)])).rejects.toMatchObject(BUSY);
    await expect(window.compact(history)).rejects.toMatchObject(BUSY);
    await expect(window.compact(history, { preview: true })).rejects.toMatchObject(BUSY);
    for (const act of [() => window.pin(40), () => window.unpin(40), () => window.reset()])
      expect(act).toThrow(expect.objectContaining(BUSY));
    gate.open();
    const { messages } = await first;
    expect(messages).toEqual((await new ConversationWindow<Wire>({ max_messages: 20 }).fit(history)).messages);
    expect(window.state()).toMatchObject({ seen: 41, folds: 1, pins: [] });
  });

  test('so do undo and redo', async () => {
    const kept = memoryArchive<Wire>();
    const gate = createGate();
    const archive: Archive<Wire> = { put: kept.put, get: (handle) => gate.passed.then(() => kept.get(handle)) };
    const window = new ConversationWindow<Wire>({ max_messages: 20 }, { archive });
    const history = long(41);
    await window.fit(history);
    const undone = window.undo();
    await expect(window.fit(history)).rejects.toMatchObject(BUSY);
    await expect(window.undo()).rejects.toMatchObject(BUSY);
    gate.open();
    expect(await undone).toMatchObject({ reason: 'undo' });
    const redone = window.redo();
    await expect(window.fit(history)).rejects.toMatchObject(BUSY);
    expect(await redone).toMatchObject({ reason: 'redo' });
  });

  test('it is free again after each call, even a failed one', async () => {
    const window = new ConversationWindow<Wire>({ max_messages: 20 });
    await expect(window.fit([{ role: 'user' }])).rejects.toMatchObject({ code: 'INVALID_HISTORY' });
    window.pin(1);
    expect((await window.fit(long(5))).messages).toHaveLength(5);
    expect(await window.undo()).toBeUndefined();
    window.reset();
  });
});

test('a failing async listener is logged, not thrown', async () => {
  const warned: string[] = [];
  const told = createGate();
  const logger = {
    warn: (text: string) => {
      warned.push(text);
      told.open();
    },
  };
  const onEvent = async () => {
    throw new Error('the listener');
  };
  await new ConversationWindow<Wire>({ max_messages: 20 }, { logger, onEvent }).fit(long(41));
  await told.passed;
  expect(warned).toEqual(['onEvent threw on fold-end: Error: the listener']);
});
