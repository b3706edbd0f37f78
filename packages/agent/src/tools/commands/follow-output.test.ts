import { expect, test, vi } from 'vitest';
import { createRedactor } from '../../loop/redactor.ts';
import { followOutput } from './follow-output.ts';

const KEY = 'sk-ant-api03-Qz7Rk2mWv91LsdPqB4xN8tYh';

test('reports the newest line that is not blank, at most every 100 ms, the last one too', () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const output = followOutput((line) => lines.push(line), undefined);
    output.write(Buffer.from('one\ntwo\n\n'));
    for (let i = 0; i < 1_000; i++) output.write(Buffer.from(`line ${i}\r\n`));
    expect(lines).toEqual(['two']);
    vi.advanceTimersByTime(150);
    expect(lines).toEqual(['two', 'line 999']);
    output.write(Buffer.from('50%\r60%\r'));
    vi.advanceTimersByTime(150);
    expect(lines.at(-1)).toBe('60%');
    output.write(Buffer.from('late'));
    output.end();
    vi.advanceTimersByTime(1_000);
    expect(lines.slice(3)).toEqual(['late']);
  } finally {
    vi.useRealTimers();
  }
});

test('a key is hidden, also if it arrives in two pieces', () => {
  const lines: string[] = [];
  const output = followOutput((line) => lines.push(line), createRedactor(KEY));
  output.write(Buffer.from(`key: ${KEY.slice(0, 20)}`));
  output.write(Buffer.from(`${KEY.slice(20)} was read${'.'.repeat(60)}\n`));
  output.end();
  expect(lines.join('\n')).not.toContain(KEY.slice(5, 20));
});
