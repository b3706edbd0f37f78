import { expect, test } from 'vitest';
import { clock, counted, difference, duration, linesPhrase, money, percent, tokens, tokensOf } from './amounts.ts';

test('amounts are short and never overstated', () => {
  expect([0, 640, 999, 1_000, 18_449, 99_960, 312_000, 999_499, 999_500, 1_234_567].map(tokens)).toEqual([
    '0',
    '640',
    '999',
    '1k',
    '18.4k',
    '100k',
    '312k',
    '999k',
    '1M',
    '1.2M',
  ]);
  expect([0, 0.00004, 0.0123, 0.42, 1.9, 123.456].map(money)).toEqual([
    '$0.00',
    '$0.0000',
    '$0.012',
    '$0.42',
    '$1.90',
    '$123.46',
  ]);
  expect([0, 0.001, 0.5, 0.874, 0.999, 1].map(percent)).toEqual(['0%', '<1%', '50%', '87%', '99%', '100%']);
  expect([0, 420, 9_940, 9_960, 59_600, 184_000, 3_599_600, 7_500_000].map(duration)).toEqual([
    '0.0s',
    '0.4s',
    '9.9s',
    '10s',
    '1m 00s',
    '3m 04s',
    '1h 00m',
    '2h 05m',
  ]);
  expect([900, 59_999, 61_000].map(clock)).toEqual(['0s', '59s', '1m 01s']);
  expect(tokensOf(18_400, 40_000, true)).toBe('~18.4k/40k');
  expect(tokensOf(640, 0, false)).toBe('640');
  expect([counted(1, 'fold'), counted(0, 'fold')]).toEqual(['1 fold', '0 folds']);
});

test('the saved amount matches the amounts shown next to it', () => {
  expect(difference(0.276, 0.1224)).toBe('$0.16');
  expect(money(0.276)).toBe('$0.28');
  expect(money(0.1224)).toBe('$0.12');
});

test('lines of a passage', () => {
  expect(linesPhrase({ from: 4, to: 4 })).toBe('line 4');
  expect(linesPhrase({ from: 4, to: 9 })).toBe('lines 4 to 9');
});
