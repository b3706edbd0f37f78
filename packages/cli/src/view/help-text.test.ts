import { expect, test } from 'vitest';
import { wrapHelp } from './help-text.ts';

test('explanations wrap below each other, or below their command where there is no room', () => {
  const text = '  holdfast run TASK.md      run a task until it is done';
  expect(wrapHelp(text, 80)).toBe(text);
  expect(wrapHelp(text, 50)).toBe(
    '  holdfast run TASK.md      run a task until it is\n                            done',
  );
  expect(wrapHelp(text, 30)).toBe('  holdfast run TASK.md\n      run a task until it is\n      done');
});

test('a command that is too long is still one for a shell', () => {
  expect(wrapHelp('  holdfast run TASK.md --model gpt-6-sol', 30)).toBe(
    '  holdfast run TASK.md \\\n    --model gpt-6-sol',
  );
});

test('a paragraph flows on, a new sentence and a heading start a line', () => {
  const text =
    'Examples:\n  one\n\nFlags override the environment, which overrides\nthe file. Then the rest.\nExit codes: 0 done.';
  expect(wrapHelp(text, 60)).toBe(
    'Examples:\n  one\n\nFlags override the environment, which overrides the file.\nThen the rest.\nExit codes: 0 done.',
  );
});
