import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseScope } from '../../src/index.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

const FILES = {
  'src/a.ts': 'one\ntwo needle\nthree\nfour\nfive Needle\nsix\n',
  'src/deep/b.ts': 'needle(1+1)\n',
  'docs/c.md': 'no such thing\nneedle\n',
  'node_modules/x/index.js': 'needle\n',
  '.git/config': 'needle\n',
};

test('list_files lists without .git and node_modules, by path, glob and depth', async () => {
  const place = await toolsInWorkspace({}, FILES);
  const list = async (input: object) => (await place.call('list_files', input)).text.split('\n');
  expect(await list({})).toEqual(['docs/', 'docs/c.md', 'src/', 'src/a.ts', 'src/deep/', 'src/deep/b.ts']);
  expect(await list({ depth: 1 })).toEqual(['docs/', 'src/']);
  expect(await list({ glob: '*.ts' })).toEqual(['src/a.ts', 'src/deep/b.ts']);
  expect(await list({ glob: 'src/*.ts' })).toEqual(['src/a.ts']);
  expect(await list({ path: 'src/deep' })).toEqual(['src/deep/b.ts']);
  expect(await list({ include_ignored: true, glob: 'node_modules/**' })).toEqual(['node_modules/x/index.js']);
  expect(await list({ path: 'none' })).toEqual(['none does not exist']);
  expect(await list({ glob: '*.none' })).toEqual(['no files']);
});

test('a name cannot pass for several lines', async () => {
  const place = await toolsInWorkspace();
  writeFileSync(join(place.workspace, 'a\nsrc/fake.ts'.replace('/', '_')), 'x');
  expect((await place.call('list_files', {})).text).toBe('"a\\nsrc_fake.ts"');
});

test('search finds expressions and plain text, with context lines', async () => {
  const place = await toolsInWorkspace({}, FILES);
  const search = async (input: object) => (await place.call('search', input)).text;
  expect(await search({ pattern: 'needle$' })).toBe(
    'docs/c.md:2: needle\nsrc/a.ts:2: two needle\n[2 matches in 2 files]',
  );
  expect(await search({ pattern: '(1+1)', literal: true })).toBe('src/deep/b.ts:1: needle(1+1)\n[1 match in 1 file]');
  expect(await search({ pattern: 'NEEDLE(', literal: true, ignore_case: true, glob: '*.ts' })).toMatch(
    /^src\/deep\/b.ts:1:/,
  );
  expect(await search({ pattern: 'needle', ignore_case: true, path: 'src/a.ts', context: 1 })).toBe(
    'src/a.ts-1- one\nsrc/a.ts:2: two needle\nsrc/a.ts-3- three\nsrc/a.ts-4- four\nsrc/a.ts:5: five Needle\nsrc/a.ts-6- six\n[2 matches in 1 file]',
  );
  expect(await search({ pattern: 'one|six', path: 'src', context: 1 })).toContain(
    'src/a.ts-2- two needle\n--\nsrc/a.ts-5- five Needle',
  );
  expect(await search({ pattern: 'needle', max_matches: 1 })).toBe(
    'docs/c.md:2: needle\n[1 match in 1 file; stopped there, there may be more]',
  );
  expect(await search({ pattern: 'nowhere' })).toBe('[0 matches in 0 files]');
  expect(await search({ pattern: '(' })).toMatch(/Unterminated group; set literal/);
});

test('search skips binary, oversized and forbidden files, and shows a long line around its match', async () => {
  const place = await toolsInWorkspace({ scope: parseScope('### Forbidden\n- src/deep\n- docs (read-only)') }, FILES);
  writeFileSync(join(place.workspace, 'x.bin'), Buffer.from('needle\0'));
  writeFileSync(join(place.workspace, 'x.log'), Buffer.alloc(11 * 2 ** 20, 'needle '));
  place.put('min.js', `${'x'.repeat(10_000)}needle${'y'.repeat(10_000)}`);
  const { text } = await place.call('search', { pattern: 'needle' });
  expect(text).toMatch(/min\.js:1: …x{100}needley{294}…\n/);
  expect(text).toContain('docs/c.md:2: needle');
  expect(text).toContain('[3 matches in 3 files; skipped files: 1 binary, 1 too large, 1 forbidden by the scope]');
});

test('a pattern that never ends is stopped, and the next search works', async () => {
  const place = await toolsInWorkspace(
    { search_limit_ms: 700 },
    { 'a.txt': 'aaaa found\n', 'b.txt': `${'a'.repeat(60)}!\n` },
  );
  let beats = 0;
  const timer = setInterval(() => beats++, 10);
  const result = await place.call('search', { pattern: '^(a+)+( found)?$' });
  clearInterval(timer);
  expect(result.isError).toBe(true);
  expect(result.text).toMatch(/^a.txt:1: aaaa found\n\[search: it took longer than 700 ms/);
  expect(beats).toBeGreaterThan(0);
  expect((await place.call('search', { pattern: 'found' })).text).toMatch(/1 match/);
});

test('concurrent searches do not mix', async () => {
  const place = await toolsInWorkspace(
    {},
    Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`f${at}.txt`, `word${at} end`])),
  );
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, at) => place.call('search', { pattern: `word${at} ` })),
  );
  expect(results.map((result) => result.text)).toEqual(
    results.map((_, at) => `f${at}.txt:1: word${at} end\n[1 match in 1 file]`),
  );
});

test('recall returns what the conversation holds, in parts that never split a character', async () => {
  const whole = '😀é'.repeat(2_000);
  const place = await toolsInWorkspace({
    max_output_chars: 1_000,
    recall: (handle) => (handle === 'm1' ? whole : handle === 'm2' ? 'short' : undefined),
  });
  expect((await place.call('recall', { handle: 'm2' })).text).toBe('short');
  expect((await place.call('recall', { handle: 'm3' })).text).toMatch(/unknown handle/);
  expect((await place.call('recall', { handle: 'm1', offset: 1e6 })).text).toMatch(/past the end/);
  let seen = '';
  for (let offset = 0; offset >= 0; ) {
    const { text } = await place.call('recall', { handle: 'm1', offset });
    const next = /\n\[m1: bytes (\d+) to (\d+) of 12000(; continue with offset \d+)?\]$/.exec(text);
    expect(Number(next?.[1])).toBe(offset);
    seen += text.slice(0, next?.index);
    offset = next?.[3] ? Number(next[2]) : -1;
  }
  expect(seen).toBe(whole);
});
