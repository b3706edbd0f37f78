import { expect, test } from 'vitest';
import { wrapProse } from './prose.ts';

test('wraps at blanks, with an indent, and leaves words and commands whole', () => {
  expect(wrapProse('one two three four', 9, '  ')).toBe('one two\n  three\n  four');
  expect(wrapProse('run `holdfast setup --provider x` now', 12)).toBe('run\n`holdfast setup --provider x`\nnow');
  expect(wrapProse('see /a/very/long/path/of/a/file please', 10)).toBe('see\n/a/very/long/path/of/a/file\nplease');
});

test('keeps the indentation of the first row, and does nothing without a width', () => {
  expect(wrapProse('    one two', 9, '      ')).toBe('    one\n      two');
  expect(wrapProse('one two three', undefined)).toBe('one two three');
  // What a terminal of unknown width reports.
  expect(wrapProse('one two three', 0)).toBe('one two three');
});
