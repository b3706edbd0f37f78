import type { WireMessage } from '@holdfast/sessions';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readConversation } from './conversation-request.ts';
import { createRecentLists } from './recent-lists.ts';

const PLACE = { dialect: 'openai-chat', list: 'messages' } as const;
const long = 'x'.repeat(5_000);
const talk = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ role: i % 2 ? 'assistant' : 'user', content: `${i} ${long}` }));

function reader(most = 1_000_000) {
  const recent = createRecentLists<WireMessage>(most);
  return (json: string) => readConversation(Buffer.from(json), PLACE, recent);
}

test('of a body only the list is kept in memory', () => {
  const recent = createRecentLists<WireMessage>(1_000_000);
  const body = Buffer.from(JSON.stringify({ messages: talk(3), system: long }));
  const again = Buffer.from(body);
  const first = readConversation(body, PLACE, recent)?.list.items[0];
  body.fill(0);
  expect(readConversation(again, PLACE, recent)?.list.items[0]).toBe(first);
});

test('what came before in the same bytes is the same object', () => {
  const read = reader();
  const all = talk(6);
  const first = read(JSON.stringify({ model: 'a', messages: all.slice(0, 4) }))?.list.items ?? [];
  const second = read(JSON.stringify({ stream: true, messages: all, model: 'b' }));
  expect(second).toMatchObject({ model: 'b', fields: { stream: true }, list: { items: all } });
  for (const [i, message] of first.entries()) expect(second?.list.items[i]).toBe(message);
  // From a changed message on, everything is read again.
  const changed = read(
    JSON.stringify({ messages: [...all.slice(0, 3), { role: 'user', content: 'other' }, ...all.slice(4)] }),
  );
  const same = changed?.list.items.map((message, i) => message === second?.list.items[i]);
  expect(same).toEqual([true, true, true, false, false, false]);
});

test('text that is not UTF-8 is not read: it could not be stored as it came', () => {
  const json = JSON.stringify({ messages: talk(1) });
  const [right, wrong] = ['é', 'é'].map((text) => Buffer.from(json.replace('0 xx', text)));
  wrong?.write('é', wrong.indexOf('é'), 'latin1');
  const read = (body = Buffer.of()) => readConversation(body, PLACE, createRecentLists<WireMessage>(1_000_000));
  expect([read(right) !== undefined, read(wrong) !== undefined]).toEqual([true, false]);
});

test('lists are forgotten beyond the limit', () => {
  const read = reader(12_000);
  const one = JSON.stringify({ messages: talk(2) });
  const before = read(one)?.list.items[0];
  expect(read(one)?.list.items[0]).toBe(before);
  read(JSON.stringify({ messages: [{ role: 'user', content: `other ${long}` }, ...talk(1)] }));
  expect(read(one)?.list.items[0]).not.toBe(before);
});

test.each([
  [100_000, true],
  [100_001, false],
])('a list of %i messages is read: %s', (count, isRead) => {
  const messages = Array(count).fill({ role: 'user', content: '' });
  expect(reader()(JSON.stringify({ messages })) !== undefined).toBe(isRead);
});

test.each([
  '',
  ' ]',
  ',]',
  ', ,{"role":"user"}]',
  '{"role":"user"}]',
  ',{"role":"user"},]',
  ',{"role":"user"}',
  ', {"role":"user"}]',
])('after known messages, JSON is as valid as without them: %s', (end) => {
  const read = reader();
  const start = JSON.stringify({ messages: talk(4) }).slice(0, -2);
  read(`${start}]}`);
  const json = `${start}${end}}`;
  const isValid = reader()(json) !== undefined;
  expect(read(json) !== undefined).toBe(isValid);
  expect(isValid).toBe(end === ' ]' || end === ', {"role":"user"}]');
});

test('any sequence of bodies is read as JSON.parse reads it', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant'),
    content: fc.constantFrom('a', long, 'ü"\\', `${long}]`),
  });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 12 }), fc.array(message, { maxLength: 4 }), fc.boolean())), (steps) => {
      const read = reader(60_000);
      let messages: unknown[] = [];
      for (const [kept, added, isLast] of steps) {
        messages = [...messages.slice(0, kept), ...added];
        const json = JSON.stringify(isLast ? { model: 'm', messages } : { messages, model: 'm' });
        expect(read(json)?.list.items ?? []).toEqual(messages);
      }
    }),
  );
});
