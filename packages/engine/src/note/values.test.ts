import { expect, test } from 'vitest';
import { meaningOf } from './values.ts';

test('a value is explained by the words around it, unless it only counts lines or elements', () => {
  const about = (text: string, value: string) => meaningOf(text, text.indexOf(value), value);
  expect(about('order 7731: gift card', '7731')).toBe('order 7731: gift card');
  expect(about("  [815] time 'Aug 11, 2022'", '815')).toBeUndefined();
  expect(about(' 274→const limit', '274')).toBeUndefined();
});
