import { expect, test } from 'vitest';
import { type NameKind, scanNames } from './names.ts';

function found(text: string): [string, NameKind][] {
  const names: [string, NameKind][] = [];
  scanNames(text, (name, kind) => names.push([name, kind]));
  return names;
}

test('numbers of orders, tickets and accounts are found with the capitals before them', () => {
  expect(found('order #W7731 and (INV20418), account 90442')).toEqual([
    ['W7731', 'number'],
    ['INV20418', 'number'],
    ['90442', 'number'],
  ]);
});

test('words, versions and sizes with few digits are not numbers', () => {
  expect(found('UTF8, RFC822 and HTTP')).toEqual([]);
});

test('parts of times and sizes are no names: no identifier starts with a digit', () => {
  expect(found('at 18T04, 0369175Z, 137B; but 2fa_token and sha256Sum')).toEqual([
    ['2fa_token', 'name'],
    ['sha256Sum', 'name'],
  ]);
});
