import { expect, test } from 'vitest';
import { joinedWithin, shared, shortened } from './shorten.ts';

const texts = (...lengths: number[]) => lengths.map((length, i) => ({ text: `${i}`.padEnd(length, '.') }));

test('joins texts that fit unchanged', () => {
  expect(joinedWithin(texts(3, 3), 8)).toBe('0..\n\n1..');
  expect(shortened('abc', 3)).toBe('abc');
});

test('shortens the oldest, replaces those before it with one line, and keeps the input whole', () => {
  const parts = texts(1_000, 1_000, 1_000, 1_000);
  const told = joinedWithin([{ text: 'input', keep: 'whole' }, ...parts], 2_500);
  expect(told.length).toBeLessThan(2_500 + 100);
  const [input, line, ...rest] = told.split('\n\n');
  expect(input).toBe('input');
  expect(line).toBe('[A message was left out here: there is no room for all that was said]');
  expect(rest[0]).toMatch(/^1\.+\n… \(\d+ characters and more are left out here\) …\n\.+$/);
  expect(rest.slice(1)).toEqual(parts.slice(2).map(({ text }) => text));
});

test('drops late parts last, and keeps whole parts even without room', () => {
  const parts = texts(1_000, 1_000);
  expect(joinedWithin([{ text: 'rule', keep: 'late' }, ...parts], 1_100)).toMatch(
    /^rule\n\n\[A message was left out here: .*\]\n\n1\.+$/,
  );
  const whole = { text: 'x'.repeat(5_000), keep: 'whole' } as const;
  expect(joinedWithin([...parts, whole], 1_000)).toMatch(/^\[2 messages were left out here: .*\]\n\nx{5000}$/);
});

test('keeps the beginning and the end of a text without splitting a character', () => {
  const text = `begin${'\u{1F600}'.repeat(2_000)}end`;
  for (let room = 200; room < 220; room++) {
    const short = shortened(text, room);
    expect(short.length).toBeLessThanOrEqual(room);
    expect(short).toMatch(/^begin.*\d+ characters and more are left out here.*end$/su);
    expect(short).not.toMatch(/\p{Surrogate}/u);
  }
});

test('keeps short texts whole, and shortens long ones to the same length', () => {
  const [short = '', ...long] = shared(['short', 'a'.repeat(3_000), 'b'.repeat(2_000), 'c'.repeat(900)], 3_000);
  expect(short).toBe('short');
  expect(long[2]).toBe('c'.repeat(900));
  expect(long[0]?.length).toBe(long[1]?.length);
  const all = [short, ...long].join('').length;
  expect(all).toBeLessThanOrEqual(3_000);
  expect(all).toBeGreaterThan(2_990);
});
