import { expect, test } from 'vitest';
import { LONG_ARGUMENT, shortenedArguments } from './mask-arguments.ts';

const LONG = 'a long line, "quoted" \\ and more\n'.repeat(20);
const shorten = (text: string) => `${text.slice(0, 6)} [${text.length}: recall m3]`;
const MARK = `a long [${LONG.length}: recall m3]`;

test('an object stays an object of the same shape, with its long texts shortened', () => {
  const input = { file_path: 'a.ts', edits: [{ old: 'short', new: LONG }], count: 2, nothing: null };
  const expected = { ...input, edits: [{ old: 'short', new: MARK }] };
  expect(shortenedArguments(input, LONG_ARGUMENT, shorten)).toEqual(expected);
  expect(input.edits[0]?.new).toBe(LONG);
});

test('JSON text stays JSON text: only long texts change, no key, no number, no space', () => {
  const key = 'k'.repeat(500);
  const text = `{ "id": 12345678901234567890,  "${key}" : ${JSON.stringify(LONG)}, "n": 1.50 }`;
  expect(shortenedArguments(text, LONG_ARGUMENT, shorten)).toBe(
    `{ "id": 12345678901234567890,  "${key}" : ${JSON.stringify(MARK)}, "n": 1.50 }`,
  );
});

test('the text of a custom tool is shortened as a whole', () => {
  expect(shortenedArguments(LONG, LONG_ARGUMENT, shorten)).toBe(MARK);
});

test('nothing changes without a long text, in broken JSON, or in what is not a plain object', () => {
  const broken = `{"content": ${JSON.stringify(LONG)}`;
  for (const input of [{ file_path: 'a.ts' }, '{"a": 1}', broken, undefined, 7, new Uint8Array(900), new Date(0)])
    expect(shortenedArguments(input, LONG_ARGUMENT, shorten)).toBeUndefined();
});
