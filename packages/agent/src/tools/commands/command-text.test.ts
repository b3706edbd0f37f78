import { expect, test } from 'vitest';
import { capped } from '../outputs/capture.ts';
import { memoryOutputs } from '../outputs/outputs.ts';
import { endText, readCommandText, streamText } from './command-text.ts';

test.each([
  [0, null, false],
  [7, null, true],
  [-1, null, true],
  [null, 'SIGKILL', true],
] as const)('reads back a command that ended with code %s and signal %s', (code, signal, failed) => {
  const text = [`${endText(code, signal)} (0.1 s)`, ...streamText('stdout', 'one\ntwo\n'), ...streamText('stderr', '')];
  expect(readCommandText(text.join('\n'))).toEqual({ failed, lines: ['one', 'two'], isCut: false });
});

test('a result that does not say how it ended has not failed', () => {
  expect(readCommandText('10 files\nall good')).toEqual({
    failed: false,
    lines: ['10 files', 'all good'],
    isCut: false,
  });
});

test('a result says that some output was left out', () => {
  const output = capped('a line of output\n'.repeat(100), memoryOutputs(), 500);
  const { lines, isCut } = readCommandText(['exit code 0 (1 s)', ...streamText('stdout', output)].join('\n'));
  expect(isCut).toBe(true);
  expect(lines.join('\n')).not.toContain('[output');
});
