import { expect, test } from 'vitest';
import { copyOf, isUnchanged, restored, snapshotOf } from './snapshot.ts';

const values: Readonly<Record<string, () => unknown>> = {
  'a text': () => 'text',
  nothing: () => undefined,
  'an empty record and an empty list': () => ({ a: {}, b: [], c: [[]] }),
  'fields without a value': () => ({ a: undefined, b: null, c: [undefined, null] }),
  'blocks in lists': () => ({ role: 'user', content: [{ type: 'text', text: 'a' }, 'b', [1, 2]], last: true }),
  'a key named __proto__': () => JSON.parse('{"input":{"__proto__":{"a":1},"b":2}}'),
};

test.each(Object.entries(values))('a snapshot of %s keeps its content, and recognizes it', (_, make) => {
  const value = make();
  const snapshot = snapshotOf(value);
  expect(JSON.stringify(restored(snapshot))).toBe(JSON.stringify(value));
  expect(restored(snapshot)).toEqual(value);
  expect(isUnchanged(value, snapshot)).toBe(true);
  expect(isUnchanged(make(), snapshot)).toBe(true);
});

type Changed = { role: string; content: Record<string, unknown>[]; more?: unknown };
const changes: Readonly<Record<string, (message: Changed) => unknown>> = {
  'a text': (message) => Object.assign(message.content[0] ?? {}, { text: 'b' }),
  'a new field': (message) => Object.assign(message, { more: undefined }),
  'a lost field': (message) => delete message.content[0]?.text,
  'a new block': (message) => message.content.push({}),
  'a lost block': (message) => message.content.pop(),
  'a list for a record': (message) => Object.assign(message.content, { 1: [] }),
  'a record for a list': (message) => Object.assign(message, { content: { 0: message.content[0] } }),
  'an address for a record': (message) => Object.assign(message.content, { 1: new URL('https://example.com') }),
  'other bytes': (message) => Object.assign(message.content[2] ?? {}, { data: new Uint8Array([1]) }),
};

test.each(Object.entries(changes))('%s in place is noticed, and does not change the snapshot', (_, change) => {
  const data = new Uint8Array([1]);
  const make = (): Changed => ({ role: 'user', content: [{ type: 'text', text: 'a' }, {}, { data }] });
  const message = make();
  const snapshot = snapshotOf(message);
  change(message);
  expect(isUnchanged(message, snapshot)).toBe(false);
  expect(restored(snapshot)).toEqual(make());
});

test('each restored value is a new one, except for bytes and URLs', () => {
  const message = { content: [{ data: new Uint8Array([1]), url: new URL('https://example.com') }] };
  const copy = copyOf(message);
  expect(copy.content[0]).not.toBe(message.content[0]);
  expect(copy.content[0]?.data).toBe(message.content[0]?.data);
  expect(copy.content[0]?.url).toBe(message.content[0]?.url);
});

test('refuses a circular value', () => {
  const message: Record<string, unknown> = { role: 'user' };
  message.content = [message];
  expect(() => snapshotOf(message)).toThrow(RangeError);
});
