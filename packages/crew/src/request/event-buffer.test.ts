import { expect, test } from 'vitest';
import type { CrewEvent } from '../events.ts';
import { createEventBuffer } from './event-buffer.ts';

const words = (text: string, agent = 'a'): CrewEvent => ({ type: 'text-delta', agent, text });

test('joins text for a slow reader without losing any', async () => {
  const buffer = createEventBuffer();
  for (let i = 0; i < 100_000; i++) buffer.push(words(`${i} `));
  buffer.push(words('other', 'b'));
  buffer.end();
  const events = [];
  for await (const placed of buffer.read()) events.push(placed);
  expect(events.map(({ id }) => id)).toEqual([1, 2]);
  expect(events[0]?.event).toEqual(words(Array.from({ length: 100_000 }, (_, i) => `${i} `).join('')));
});

test('never changes events that were read, and reads again from any point', async () => {
  const buffer = createEventBuffer(1_000);
  buffer.push(words('one'));
  const reader = buffer.read();
  expect((await reader.next()).value).toEqual({ id: 1, event: words('one') });
  buffer.push(words('two'));
  buffer.push(words('three'));
  buffer.end();
  expect((await reader.next()).value).toEqual({ id: 2, event: words('twothree') });
  expect((await reader.next()).done).toBe(true);
  const again = [];
  for await (const { id } of buffer.read(1)) again.push(id);
  expect(again).toEqual([2]);
  expect([buffer.has(0), buffer.has(2), buffer.has(3)]).toEqual([true, true, false]);
});

test('keeps a few megabytes of read events, and says when older ones are gone', async () => {
  const buffer = createEventBuffer(4_000_000);
  const reader = buffer.read();
  for (let i = 0; i < 12; i++) {
    buffer.push(words('x'.repeat(1_000_000), i % 2 ? 'a' : 'b'));
    await reader.next();
  }
  expect([buffer.has(0), buffer.has(11)]).toEqual([false, true]);
});

test('releases a reader that leaves', async () => {
  const gone = new AbortController();
  const reading = createEventBuffer().read(0, gone.signal).next();
  gone.abort();
  expect(await reading).toEqual({ value: undefined, done: true });
});
