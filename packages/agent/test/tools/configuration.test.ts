import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseScope } from '../../src/index.ts';
import { createGuard } from '../../src/tools/protected/guard-files.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

test.each([
  'holdfast.yml',
  'holdfast.yaml',
  '.ai/config.yml',
  '.ai/config.yaml',
  'HoldFast.YML',
  '.AI/Config.yml',
  'holdfast\u200b.yml',
  'packages/api/holdfast.yml',
  'packages/api/.ai/config.yaml',
  'alias',
  'settings/config.yml',
  'later.yml',
])('no file tool writes configuration, listed or not: %s', async (path) => {
  const place = await toolsInWorkspace({ scope: parseScope('### Allowed\n- **') });
  mkdirSync(join(place.workspace, 'settings'));
  const link = (target: string, name: string) => symlinkSync(target, join(place.workspace, name));
  link('holdfast.yml', 'alias');
  link('settings', '.ai');
  link('later.yml', 'holdfast.yaml');
  // The target of a symlink is known from the start.
  const { createTools } = await import('../../src/index.ts');
  const made = await createTools({ workspace: place.workspace });
  const write = made.tools.find(({ name }) => name === 'write_file');
  const result = await write?.call({ path, content: 'validation: { commands: [evil] }' });
  await made.close();
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('tools may not write it') });
});

test.each([
  'sub/.ai/config.yml',
  'sub/.AI/config.yaml',
  'sub/settings/config.yml',
  'sub/settings/CONFIG.YAML',
  'shared/config.yml',
  'sub/way/config.yml',
  'sub/other.yml',
  'deep/mine.yml',
])('no file tool writes what a start in a folder below obeys through a symlink: %s', async (path) => {
  const place = await toolsInWorkspace({}, { 'sub/settings/a.md': 'a', 'shared/b.md': 'b', 'deep/.ai/c.md': 'c' });
  const link = (target: string, name: string) => symlinkSync(target, join(place.workspace, name));
  link('settings', 'sub/.ai');
  link('.ai', 'sub/way');
  link('other.yml', 'sub/holdfast.yml');
  link('../shared', 'shared/.ai');
  link('../mine.yml', 'deep/.ai/config.yml');
  const evil = { path, content: 'validation: { commands: [evil] }' };
  expect(await place.call('write_file', evil)).toMatchObject({
    isError: true,
    text: expect.stringContaining('tools may not write it'),
  });
  // What is next to it stays writable.
  expect(await place.call('write_file', { path: 'sub/.ai/notes.md', content: 'x' })).not.toHaveProperty(
    'isError',
    true,
  );
});

test('a symlink that a command makes is removed, and what one led to before is restored', async () => {
  const place = await toolsInWorkspace(
    {},
    { 'sub/settings/config.yml': 'not for holdfast', 'b/conf/config.yml': 'mine' },
  );
  symlinkSync('conf', join(place.workspace, 'b/.ai'));
  const command = 'echo evil > sub/settings/config.yml; ln -s settings sub/.ai; echo evil > b/conf/config.yml';
  const { text } = await place.call('run_command', { command });
  expect(text).toMatch(/sub\/\.ai: .*it was restored/);
  expect(text).toMatch(/b\/conf\/config\.yml: .*it was restored/);
  expect(existsSync(join(place.workspace, 'sub/.ai'))).toBe(false);
  expect(place.text('b/.ai/config.yml')).toBe('mine');
});

const OLD = 'provider: anthropic-api\n';

test.each([
  ['created', 'echo evil > holdfast.yml', 'holdfast.yml'],
  ['created by a rename', 'echo evil > notes.txt; mv notes.txt holdfast.yaml', 'holdfast.yaml'],
  ['created as a hard link', 'echo evil > notes.txt; ln notes.txt holdfast.yml', 'holdfast.yml'],
  ['created below', 'mkdir -p packages/api; echo evil > packages/api/holdfast.yml', 'packages/api/holdfast.yml'],
  ['created in the folder above', 'echo evil > ../holdfast.yml', '../holdfast.yml'],
  ['created through a folder that is a symlink', 'ln -s settings .ai', '.ai/config.yml'],
])('a configuration that a command has %s is removed again', async (_, command, name) => {
  const place = await toolsInWorkspace({}, { 'settings/config.yml': 'not for holdfast' });
  const { text } = await place.call('run_command', { command });
  expect(text).toMatch(/(?:holdfast\.ya?ml|config\.yml): .*it was restored/);
  expect(existsSync(join(place.workspace, name))).toBe(false);
  expect(place.text('settings/config.yml')).toBe('not for holdfast');
});

test.each([
  ['here', 'holdfast.yml', 'echo evil > holdfast.yml'],
  ['in a folder below', 'packages/api/.ai/config.yml', 'echo evil > packages/api/.ai/config.yml'],
  ['in the folder above', '../holdfast.yml', 'echo evil > ../holdfast.yml'],
  ['whose folder became a symlink', '.ai/config.yml', 'mv .ai x; mkdir y; echo evil > y/config.yml; ln -s y .ai'],
  ['that became a pipe', 'holdfast.yml', 'rm holdfast.yml; mkfifo holdfast.yml'],
])('a configuration %s that a command changed is restored', async (_, name, command) => {
  const place = await toolsInWorkspace();
  place.put(name, OLD);
  const { text } = await place.call('run_command', { command });
  expect(text).toMatch(/it was restored/);
  expect(readFileSync(join(place.workspace, name), 'utf8')).toBe(OLD);
  expect(lstatSync(join(place.workspace, name)).isFile()).toBe(true);
});

test('a configuration that is a symlink is restored, and so is its target', async () => {
  const place = await toolsInWorkspace();
  place.put('conf/mine.yml', OLD);
  symlinkSync('conf/mine.yml', join(place.workspace, 'holdfast.yml'));
  const { createTools } = await import('../../src/index.ts');
  const made = await createTools({ workspace: place.workspace });
  const command = 'echo evil > conf/mine.yml; echo evil > other.yml; ln -sf other.yml holdfast.yml';
  await made.tools.find(({ name }) => name === 'run_command')?.call({ command });
  await made.close();
  expect(readlinkSync(join(place.workspace, 'holdfast.yml'))).toBe('conf/mine.yml');
  expect(place.text('holdfast.yml')).toBe(OLD);
});

test('a listed configuration with another name, outside the workspace, is restored', async () => {
  const place = await toolsInWorkspace();
  const named = join(place.base, 'shared.yml');
  writeFileSync(named, OLD);
  const { createTools } = await import('../../src/index.ts');
  const made = await createTools({ workspace: place.workspace, protected: [named] });
  await made.tools.find(({ name }) => name === 'run_command')?.call({ command: `echo evil > ${named}` });
  await made.close();
  expect(readFileSync(named, 'utf8')).toBe(OLD);
});

test("the user's own configuration and the trusted folders are restored", async () => {
  const place = await toolsInWorkspace();
  const home = join(place.base, 'home');
  mkdirSync(home);
  writeFileSync(join(home, 'trust.json'), '{}');
  const before = process.env.HOLDFAST_HOME;
  process.env.HOLDFAST_HOME = home;
  try {
    const { createTools } = await import('../../src/index.ts');
    const made = await createTools({ workspace: place.workspace });
    const command = `echo evil > ${home}/config.yml; echo evil > ${home}/trust.json`;
    await made.tools.find(({ name }) => name === 'run_command')?.call({ command });
    await made.close();
  } finally {
    if (before === undefined) delete process.env.HOLDFAST_HOME;
    else process.env.HOLDFAST_HOME = before;
  }
  expect(existsSync(join(home, 'config.yml'))).toBe(false);
  expect(readFileSync(join(home, 'trust.json'), 'utf8')).toBe('{}');
});

test('overlapping commands do not restore what another has just written', async () => {
  const place = await toolsInWorkspace({}, { 'holdfast.yml': OLD });
  const guard = createGuard([join(place.workspace, 'holdfast.yml')]);
  const endFirst = guard.start();
  place.put('holdfast.yml', 'evil');
  const endSecond = guard.start();
  expect([endFirst(), endSecond()].map((changed) => changed.length)).toEqual([1, 0]);
  expect(place.text('holdfast.yml')).toBe(OLD);
});
