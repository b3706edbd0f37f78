import { expect, test } from 'vitest';
import { anthropic } from './dialects/anthropic/dialect.ts';
import { ConversationWindow } from './window.ts';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: unknown;
}

const dialect = anthropic<Message>();
const said = (from: number, to: number): Message[] =>
  Array.from({ length: to - from }, (_, i) => ({
    role: (from + i) % 2 === 0 ? 'user' : 'assistant',
    content: `message ${from + i} ${'and more words '.repeat(20)}end`,
  }));
const open = (max_messages: number) => new ConversationWindow<Message>({ max_messages }, { dialect });

test('adopt() adds messages without folding, and the next fit() folds', async () => {
  const window = open(10);
  await window.adopt(said(0, 31));
  expect([window.seen, window.folds, window.state().view.length]).toEqual([31, 0, 31]);
  const { messages, receipt } = await window.fit([], { offset: 31 });
  expect(receipt?.fold).toBe(1);
  expect(messages.length).toBeLessThanOrEqual(10);
});

test('adopt() keeps the hold of an undone fold, and refuses a broken history', async () => {
  const window = open(10);
  await window.fit(said(0, 11));
  await window.undo();
  await window.adopt(said(11, 15), { offset: 11 });
  expect(window.state()).toMatchObject({ seen: 15, folds: 0, hold: {} });
  const orphan = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y' }] } as const;
  await expect(window.adopt([orphan], { offset: 15 })).rejects.toMatchObject({ code: 'INVALID_HISTORY' });
  expect(window.seen).toBe(15);
  expect(window.budget.max.messages).toBe(10);
});

test('resize() changes when the next fold is due, but not the view', async () => {
  const window = open(0);
  const wide = await window.fit(said(0, 41));
  window.resize({ max_messages: 20, max_tokens: 2_000, limit: 3_000, reserve: 100 });
  expect(window.state().view).toEqual(wide.messages);
  expect(window.budget).toMatchObject({ max: { messages: 20, tokens: 2_000 }, limit: 3_000, reserve: 100 });
  const { messages, metrics } = await window.fit([], { offset: 41 });
  expect(messages.length).toBeLessThanOrEqual(20);
  expect(metrics.estimatedTokens).toBeLessThanOrEqual(2_000);
});

test('resize() leaves other settings alone and refuses what the constructor refuses', () => {
  const window = new ConversationWindow<Message>({ strategy: 'governed' }, { dialect });
  expect(window.budget.max.messages).toBe(40);
  window.resize({ max_tokens: 9_000 });
  expect(window.budget.max).toEqual({ messages: 40, tokens: 9_000 });
  expect(() => window.resize({ reserve: 9_000 })).toThrow(/reserve is 9000/);
  expect(window.budget).toMatchObject({ max: { tokens: 9_000 }, reserve: 0 });
});

test('mapView() changes messages in place, and later fits keep the change', async () => {
  const window = open(0);
  await window.fit(said(0, 5));
  expect(window.mapView((message) => message)).toBe(false);
  const short = (message: Message): Message =>
    message.role === 'assistant' ? { role: 'assistant', content: 'short' } : message;
  expect(window.mapView(short)).toBe(true);
  const { messages } = await window.fit(said(5, 7), { offset: 5 });
  expect(messages.map(({ content }) => content === 'short')).toEqual([false, true, false, true, false, false, false]);
});

test('fit() returns the index of the note', async () => {
  const window = open(10);
  expect((await window.fit(said(0, 9))).note).toBeUndefined();
  const { messages, note = -1, receipt } = await window.fit(said(9, 31), { offset: 9 });
  expect(dialect.text(messages[note] as Message)).toBe(receipt?.note);
});

test('calibration is a copy of what observe() learned', async () => {
  const window = open(0);
  await window.fit(said(0, 5));
  window.observe({ input_tokens: 5_000 });
  expect(window.calibration).toEqual(window.state().calibration);
});
