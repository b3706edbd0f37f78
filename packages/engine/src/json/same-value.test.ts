import { describe, expect, test } from 'vitest';
import { timeRatio } from '../../../../scripts/time-ratio.ts';
import { plainJson } from './plain.ts';
import { hashValue, sameValue } from './same-value.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

describe('values that are not JSON', () => {
  test.each([
    ['bytes', bytes(1, 2, 3), bytes(1, 2, 3), bytes(1, 2, 4)],
    ['buffers', bytes(1, 2).buffer, bytes(1, 2).buffer, bytes(2, 1).buffer],
    ['a buffer and bytes', bytes(7).buffer, bytes(7), bytes(8)],
    ['Node buffers and bytes', Buffer.from([1, 2, 3]), bytes(1, 2, 3), Buffer.from([3, 2, 1])],
    ['a view of a part', bytes(0, 1, 2, 3).subarray(1, 3), bytes(1, 2), bytes(0, 1)],
    ['bytes and their base64', bytes(1, 2, 3, 4), 'AQIDBA==', 'AQIDBQ=='],
    ['lengths', bytes(), '', bytes(0)],
    ['URLs', new URL('https://a.b/c'), 'https://a.b/c', new URL('https://a.b/d')],
  ])('%s are compared by content', (_, one, same, other) => {
    expect(sameValue({ data: one }, { data: same })).toBe(true);
    expect(sameValue({ data: one }, { data: other })).toBe(false);
    expect(hashValue({ data: one })).toBe(hashValue({ data: same }));
    expect(hashValue({ data: one })).not.toBe(hashValue({ data: other }));
  });

  test('become JSON as base64 and text, whatever the length', () => {
    for (const length of [0, 1, 2, 3, 4, 100, 6143, 6144, 6145, 20_000]) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 37) % 256);
      const plain = plainJson([{ data, url: new URL('https://a.b/c'), n: null }]);
      expect(plain).toEqual([{ data: Buffer.from(data).toString('base64'), url: 'https://a.b/c', n: null }]);
      expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
    }
  });

  test('are compared in time proportional to their size', async () => {
    const compare = (length: number) => {
      const [one, other] = [new Uint8Array(length).fill(7), new Uint8Array(length).fill(7)];
      return () => expect(sameValue(one, other)).toBe(true);
    };
    expect(await timeRatio(compare(8_000_000), compare(800_000), { enough: 40 })).toBeLessThan(40);
  });
});
