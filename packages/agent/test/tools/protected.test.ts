import { existsSync, linkSync, lstatSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseScope } from '../../src/index.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

const FILES = { 'holdfast.yml': 'old', 'tasks/TASK.md': 'task', 'src/a.ts': 'a' };
const PROTECTED = ['./holdfast.yml', 'tasks/TASK.md', '.ai/config.yml', '/etc/passwd', '../x'];

test.each([
  'holdfast.yml',
  './holdfast.yml',
  'HOLDFAST.yml',
  'holdfast\u200b.yml',
  'alias.yml',
  'up/TASK.md',
  '.ai/config.yml',
])('no file tool writes a protected file: %s', async (path) => {
  const place = await toolsInWorkspace({ protected: PROTECTED }, FILES);
  symlinkSync('holdfast.yml', join(place.workspace, 'alias.yml'));
  symlinkSync('tasks', join(place.workspace, 'up'));
  for (const result of [
    await place.call('write_file', { path, content: 'new' }),
    await place.call('edit_file', { path, old_text: 'old', new_text: 'new' }),
  ])
    expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/tools may not write it/) });
  expect(place.text('holdfast.yml') + place.text('tasks/TASK.md')).toBe('oldtask');
  expect(existsSync(join(place.workspace, '.ai'))).toBe(false);
  expect((await place.call('read_file', { path: 'holdfast.yml' })).isError).toBe(false);
});

test('absolute paths and symlink targets are protected too', async () => {
  const place = await toolsInWorkspace({}, FILES);
  symlinkSync('tasks/TASK.md', join(place.workspace, 'TASK.md'));
  const { createTools } = await import('../../src/index.ts');
  const made = await createTools({ workspace: place.workspace, protected: [join(place.workspace, 'TASK.md')] });
  const write = made.tools.find(({ name }) => name === 'write_file');
  for (const path of ['TASK.md', 'tasks/TASK.md'])
    expect(await write?.call({ path, content: 'new' })).toMatchObject({ isError: true });
  await made.close();
  expect(place.text('tasks/TASK.md')).toBe('task');
});

test.each([
  ['changed', 'echo evil > holdfast.yml'],
  [
    'changed in place, with its times',
    'touch -r holdfast.yml r; printf bad > holdfast.yml; touch -r r holdfast.yml; rm r',
  ],
  ['removed', 'rm holdfast.yml'],
  ['made a symlink', 'echo evil > src/b.yml; ln -sf src/b.yml holdfast.yml'],
  ['replaced', 'echo evil > y; mv y holdfast.yml'],
])('a protected file that a command %s is restored, and the result says so', async (_, command) => {
  for (const scope of [undefined, parseScope('### Allowed\n- **')]) {
    const place = await toolsInWorkspace({ protected: PROTECTED, ...(scope ? { scope } : {}) }, FILES);
    const mode = statSync(join(place.workspace, 'holdfast.yml')).mode;
    const { text, filesChanged } = await place.call('run_command', { command });
    expect(text).toMatch(/- holdfast.yml: holdfast.yml is holdfast configuration.*; it was restored/);
    expect(filesChanged).not.toContain('holdfast.yml');
    expect(place.text('holdfast.yml')).toBe('old');
    expect(lstatSync(join(place.workspace, 'holdfast.yml')).mode).toBe(mode);
  }
});

test('a protected file created by a command is removed; a non-empty folder in its place is reported and left alone', async () => {
  const place = await toolsInWorkspace({ protected: PROTECTED, max_watched_files: 1 }, FILES);
  const made = await place.call('run_command', { command: 'mkdir .ai; echo evil > .ai/config.yml' });
  expect(made.text).toMatch(/- .ai\/config.yml: .*it was restored/);
  expect(existsSync(join(place.workspace, '.ai/config.yml'))).toBe(false);
  const folder = await place.call('run_command', {
    command: 'rm holdfast.yml; mkdir holdfast.yml; touch holdfast.yml/work',
  });
  expect(folder.text).toMatch(/- holdfast.yml: .*it could not be restored/);
  expect(folder.filesChanged).toContain('holdfast.yml');
});

test('a protected symlink that was replaced by another is restored', async () => {
  const place = await toolsInWorkspace({ protected: ['link.yml'] }, FILES);
  symlinkSync('holdfast.yml', join(place.workspace, 'link.yml'));
  const { text } = await place.call('run_command', { command: 'ln -sf src/a.ts link.yml' });
  expect(text).toMatch(/- link.yml: .*it was restored/);
  expect(readlinkSync(join(place.workspace, 'link.yml'))).toBe('holdfast.yml');
});

test('hard links to Forbidden files are not read, edited or searched; other hard links are', async () => {
  const scope = parseScope('### Forbidden\n- src/secret.ts\n- src/shown.ts (read-only)\n- node_modules/key');
  const place = await toolsInWorkspace(
    { scope },
    {
      'src/secret.ts': 'needle one',
      'src/shown.ts': 'needle two',
      'node_modules/key': 'needle three',
      'x.ts': 'needle x',
    },
  );
  for (const [from, to] of [
    ['src/secret.ts', 'hard.ts'],
    ['node_modules/key', 'key.ts'],
    ['src/shown.ts', 'shown.ts'],
    ['x.ts', 'y.ts'],
  ] as const)
    linkSync(join(place.workspace, from), join(place.workspace, to));
  for (const path of ['hard.ts', 'key.ts']) {
    const results = [
      await place.call('read_file', { path }),
      await place.call('edit_file', { path, old_text: 'needle', new_text: 'pin' }),
    ];
    for (const result of results)
      expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/hard link.*Forbidden/) });
  }
  for (const path of ['shown.ts', 'y.ts'])
    expect((await place.call('read_file', { path })).text).toMatch(/needle (?:two|x)/);
  const { text } = await place.call('search', { pattern: 'needle' });
  expect(text).not.toMatch(/one|three/);
  expect(text).toContain('[4 matches in 4 files; skipped files: 3 forbidden by the scope]');
  expect(await place.call('write_file', { path: 'hard.ts', content: 'mine' })).toMatchObject({ isError: false });
  expect(place.text('src/secret.ts')).toBe('needle one');
});
