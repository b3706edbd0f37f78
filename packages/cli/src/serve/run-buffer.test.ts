import type { CrewEvent } from '@holdfast/crew';
import { expect, test } from 'vitest';
import { createRunBuffer } from './run-buffer.ts';

const never = new AbortController().signal;
const words = (text: string, agent = 'a'): CrewEvent => ({ type: 'text-delta', agent, text });

test('a reader that does not keep up gets words in larger pieces: nothing is lost, and little waits', async () => {
  const buffer = createRunBuffer();
  for (let i = 0; i < 100_000; i++) buffer.push(words(`${i} `));
  buffer.push(words('other', 'b'));
  buffer.end();
  const events = [];
  for await (const placed of buffer.read(0, never)) events.push(placed);
  expect(events.map(({ id }) => id)).toEqual([1, 2]);
  expect(events[0]?.event).toEqual(words(Array.from({ length: 100_000 }, (_, i) => `${i} `).join('')));
});

test('what was read is never changed, and can be read again from any place', async () => {
  const buffer = createRunBuffer();
  buffer.push(words('one'));
  const reader = buffer.read(0, never);
  expect((await reader.next()).value).toEqual({ id: 1, event: words('one') });
  buffer.push(words('two'));
  buffer.push(words('three'));
  buffer.end();
  expect((await reader.next()).value).toEqual({ id: 2, event: words('twothree') });
  expect((await reader.next()).done).toBe(true);
  const again = [];
  for await (const { id } of buffer.read(1, never)) again.push(id);
  expect(again).toEqual([2]);
  expect([buffer.has(0), buffer.has(2), buffer.has(3)]).toEqual([true, true, false]);
});

test('it holds no more than a few megabytes of what was read; who comes back for the rest is told that it is gone', async () => {
  const buffer = createRunBuffer();
  const reader = buffer.read(0, never);
  for (let i = 0; i < 12; i++) {
    buffer.push(words('x'.repeat(1_000_000), i % 2 ? 'a' : 'b'));
    await reader.next();
  }
  expect([buffer.has(0), buffer.has(11)]).toEqual([false, true]);
});

test('a reader that leaves lets go', async () => {
  const gone = new AbortController();
  const reading = createRunBuffer().read(0, gone.signal).next();
  gone.abort();
  expect(await reading).toEqual({ value: undefined, done: true });
});
