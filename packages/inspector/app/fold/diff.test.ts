import { expect, test } from 'vitest';
import { diffLines } from './diff.ts';

const shown = (before: string, after: string) =>
  diffLines(before === '' ? [] : before.split(' '), after === '' ? [] : after.split(' '))
    .map(({ type, text }) => `${{ same: '=', added: '+', removed: '-' }[type]}${text}`)
    .join(' ');

test('shows what was added and removed, and keeps what is the same', () => {
  expect(shown('a b c', 'a c d')).toBe('=a -b =c +d');
  expect(shown('', 'a')).toBe('+a');
  expect(shown('a', '')).toBe('-a');
  expect(shown('a b', 'a b')).toBe('=a =b');
});
