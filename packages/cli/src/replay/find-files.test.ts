import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findFiles } from './find-files.ts';

const cwd = mkdtempSync(join(tmpdir(), 'holdfast-find-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
mkdirSync(join(cwd, 'logs/deep/x.jsonl'), { recursive: true });
for (const name of ['logs/b.jsonl', 'logs/a.jsonl', 'logs/notes.md', 'logs/deep/c.ndjson', 'one.json'])
  writeFileSync(join(cwd, name), '12345');
symlinkSync(join(cwd, 'nowhere'), join(cwd, 'logs/gone.jsonl'));
const names = (...named: string[]) => findFiles(named, cwd).map(({ name }) => name);

test('folders are searched for JSON lines, however deep; a file that is named is taken whatever it is called', () => {
  expect(names('logs', 'one.json')).toEqual(['logs/a.jsonl', 'logs/b.jsonl', 'logs/deep/c.ndjson', 'one.json']);
  expect(findFiles(['one.json'], cwd)).toEqual([{ path: join(cwd, 'one.json'), name: 'one.json', bytes: 5 }]);
});

test('patterns are found, and nothing is found twice', () => {
  expect(names('logs/*.jsonl', 'logs/b.jsonl', 'logs')).toEqual(['logs/a.jsonl', 'logs/b.jsonl', 'logs/deep/c.ndjson']);
  expect(names('**/c.*')).toEqual(['logs/deep/c.ndjson']);
});

test('what lies elsewhere is called by its whole path', () => {
  const [found] = findFiles([join(cwd, 'one.json')], join(cwd, 'logs'));
  expect(found?.name).toBe(join(cwd, 'one.json'));
});
