import type { Key } from 'ink';
import { expect, test } from 'vitest';
import { strokesOf } from './keys.ts';

const NONE = {} as Key;
const typed = (input: string) =>
  strokesOf(input, NONE).map((stroke) => (stroke.type === 'text' ? stroke.text : `<${stroke.type}>`));

test.each<[string, readonly string[]]>([
  ['a', ['a']],
  ['hello\r', ['hello', '<enter>']],
  ['/comp\t', ['/comp', '<tab>']],
  ['one\rtwo\r', ['one', '<newline>', 'two', '<enter>']],
  ['one\\\rtwo', ['one', '<newline>', 'two']],
  ['one\r\ntwo', ['one', '<newline>', 'two']],
  ['one\ntwo', ['one', '<newline>', 'two']],
  ['a\tb', ['a  b']],
  ['abc\u0017\u0001', ['abc', '<kill-word>', '<home>']],
  ['👨‍👩‍👧', ['👨‍👩‍👧']],
])('splits keys that arrive together: %j', (input, strokes) => {
  expect(typed(input)).toEqual(strokes);
});

test('named keys', () => {
  const named = (key: Partial<Key>, input = '') => strokesOf(input, key as Key).map(({ type }) => type);
  expect(named({ return: true })).toEqual(['enter']);
  expect(named({ return: true, meta: true })).toEqual(['newline']);
  expect(named({ leftArrow: true, ctrl: true })).toEqual(['word-left']);
  expect(named({ meta: true }, 'f')).toEqual(['word-right']);
  expect(named({ backspace: true, meta: true })).toEqual(['kill-word']);
  expect(named({ ctrl: true }, 'c')).toEqual(['interrupt']);
  expect(named({ meta: true }, 'x')).toEqual([]);
  expect(named({ ctrl: true, eventType: 'release' }, 'c')).toEqual([]);
});
