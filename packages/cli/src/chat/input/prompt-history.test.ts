import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistory, type Walk, walked } from './prompt-history.ts';

const folder = () => mkdtempSync(join(tmpdir(), 'holdfast-history-'));

test('saves prompts for later processes, private to the owner, keys masked', () => {
  const home = folder();
  const history = openHistory(home);
  history.add('first');
  history.add('two\nlines');
  history.add('two\nlines');
  history.add('my key is sk-ant-api03-Zx81Qabcdef1234567890');
  const path = join(home, 'chat-history');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readFileSync(path, 'utf8')).not.toContain('Zx81Q');
  const [first, second, third, ...rest] = openHistory(home).entries;
  expect([first, second, rest]).toEqual(['first', 'two\nlines', []]);
  expect(third).toMatch(/^my key is /);
});

test('tolerates a truncated, invalid or unwritable file', () => {
  const home = folder();
  const path = join(home, 'chat-history');
  writeFileSync(path, '"whole"\n{"no":"entry"}\n"cut o');
  expect(openHistory(home).entries).toEqual(['whole']);
  const nowhere = openHistory(join(path, 'x'));
  nowhere.add('said');
  expect(nowhere.entries).toEqual(['said']);
});

test('drops the oldest prompts beyond the limit', () => {
  const home = folder();
  const path = join(home, 'chat-history');
  const lines = Array.from({ length: 1_500 }, (_, i) => `${JSON.stringify(`${i} ${'x'.repeat(2_000)}`)}\n`);
  appendFileSync(path, lines.join(''));
  const history = openHistory(home);
  expect(history.entries).toHaveLength(1_000);
  history.add('newest');
  history.add('y'.repeat(20_000));
  expect(statSync(path).size).toBeLessThan(2_000_000);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(openHistory(home).entries.at(-1)).toBe('newest');
});

test('Up and Down browse prompts and return to the draft', () => {
  const entries = ['one', 'two'];
  let walk: Walk | undefined;
  const step = (by: -1 | 1) => {
    const next = walked(entries, walk, by, 'mine');
    walk = next?.walk ?? walk;
    return next?.text;
  };
  expect([step(-1), step(-1), step(-1), step(1), step(1), step(1)]).toEqual([
    'two',
    'one',
    undefined,
    'two',
    'mine',
    undefined,
  ]);
});
