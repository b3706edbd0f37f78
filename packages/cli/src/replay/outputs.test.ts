import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openOutputs } from './outputs.ts';

const cwd = mkdtempSync(join(tmpdir(), 'holdfast-outputs-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(join(cwd, 'talk.jsonl'), 'kept');
symlinkSync('talk.jsonl', join(cwd, 'link.html'));
const open = (html: string, missing?: string) =>
  openOutputs(
    [
      { flag: '--html', file: html },
      { flag: '--missing-summaries', file: missing },
    ],
    [{ flag: 'a transcript to replay', file: 'talk.jsonl' }],
    cwd,
  );

test('refuses an output that is an input, another output or not writable, under any name', () => {
  const overwrites = /would overwrite a transcript to replay: choose another output file/;
  for (const name of ['talk.jsonl', './talk.jsonl', 'link.html']) expect(() => open(name), name).toThrow(overwrites);
  expect(() => open('new', join(cwd, 'new'))).toThrow('--missing-summaries');
  expect(() => open('')).toThrow('--html needs a file name');
  expect(() => open('.')).toThrow('cannot write . (EISDIR): choose another place');
  expect(() => open('none/page.html')).toThrow('cannot write none/page.html (ENOENT): choose another place');
});

test('writes outputs atomically, private to their owner', () => {
  const old = join(cwd, 'old.html');
  writeFileSync(old, 'old');
  chmodSync(old, 0o644);
  symlinkSync('old.html', join(cwd, 'named.html'));
  const [html, missing] = open('named.html', 'missing.jsonl');
  expect(readFileSync(old, 'utf8')).toBe('old');
  html?.('new');
  expect(readFileSync(old, 'utf8')).toBe('new');
  expect(statSync(old).mode & 0o777).toBe(0o600);
  expect(readdirSync(cwd).sort()).toEqual(['link.html', 'named.html', 'old.html', 'talk.jsonl']);
  missing?.('');
  expect(statSync(join(cwd, 'missing.jsonl'))).toMatchObject({ size: 0 });
});
