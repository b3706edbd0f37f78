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
const names = (...named: string[]) => findFiles(named, cwd).files.map(({ name }) => name);

test('finds .jsonl files in folders at any depth, and accepts named files with any extension', () => {
  expect(names('logs', 'one.json')).toEqual(['logs/a.jsonl', 'logs/b.jsonl', 'logs/deep/c.ndjson', 'one.json']);
  expect(findFiles(['one.json'], cwd)).toEqual({
    files: [{ path: join(cwd, 'one.json'), name: 'one.json', bytes: 5 }],
    remarks: [],
  });
});

test('resolves patterns without duplicates', () => {
  expect(names('logs/*.jsonl', 'logs/b.jsonl', 'logs')).toEqual(['logs/a.jsonl', 'logs/b.jsonl', 'logs/deep/c.ndjson']);
  expect(names('**/c.*')).toEqual(['logs/deep/c.ndjson']);
});

test('files elsewhere are named by their full path', () => {
  const [found] = findFiles([join(cwd, 'one.json')], join(cwd, 'logs')).files;
  expect(found?.name).toBe(join(cwd, 'one.json'));
});

test('follows links, includes each folder and file once, and reports what it skips', () => {
  const top = join(cwd, 'linked');
  mkdirSync(join(top, 'real'), { recursive: true });
  mkdirSync(join(cwd, 'elsewhere'));
  for (const name of ['linked/real/x.jsonl', 'elsewhere/y.jsonl']) writeFileSync(join(cwd, name), '12345');
  for (const [to, name] of [
    [top, 'loop'],
    [join(top, 'real'), 'again'],
    [join(top, 'real/x.jsonl'), 'a.jsonl'],
    [join(cwd, 'elsewhere'), 'away'],
    [join(top, 'itself'), 'itself'],
  ] as const)
    symlinkSync(to, join(top, name));
  const { files, remarks } = findFiles(['linked', 'linked/again/x.jsonl'], cwd);
  expect(files.map(({ name }) => name)).toEqual(['linked/away/y.jsonl', 'linked/real/x.jsonl']);
  expect(remarks.map(({ file, reason }) => `${file}: ${reason}`).sort()).toEqual([
    'linked/a.jsonl: the same file as linked/real/x.jsonl, which is already included',
    'linked/again/x.jsonl: the same file as linked/real/x.jsonl, which is already included',
    'linked/again: a link to a folder that is already included',
    'linked/itself: a broken or unreadable link (ELOOP)',
    'linked/loop: a link to a folder that is already included',
  ]);
});
