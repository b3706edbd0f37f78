import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTools } from '../../src/index.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

const HOME = process.env.HOME;
const STATE = process.env.HOLDFAST_HOME;
beforeEach(() => {
  delete process.env.HOLDFAST_HOME;
});
afterEach(() => {
  process.env.HOME = HOME;
  if (STATE !== undefined) process.env.HOLDFAST_HOME = STATE;
});

/** Tools in a home folder with a store in it. */
async function inHome(unreachable: readonly string[] = []) {
  const place = await toolsInWorkspace();
  process.env.HOME = place.workspace;
  place.put('.holdfast/config.yml', 'needle of the user');
  place.put('.holdfast/outputs/k3v9/o1.txt', 'needle of a chat');
  place.put('own.db', 'needle of a store');
  place.put('notes.txt', 'needle of the notes');
  symlinkSync('.holdfast', join(place.workspace, 'link'));
  linkSync(join(place.workspace, '.holdfast/config.yml'), join(place.workspace, 'hard.yml'));
  const made = await createTools({ workspace: place.workspace, unreachable });
  const call = async (name: string, input: unknown) => {
    const result = await made.tools.find((one) => one.name === name)?.call(input);
    if (!result) throw new Error(`no tool ${name}`);
    return result;
  };
  return { ...place, made, call };
}

const PATHS = [
  '.holdfast/config.yml',
  '.HOLDFAST/config.yml',
  'link/config.yml',
  'hard.yml',
  '.holdfast/outputs/k3v9/o1.txt',
];

test.each(PATHS)("in the home folder no tool for files reaches holdfast's own files: %s", async (path) => {
  const { call, made, text } = await inHome();
  for (const [name, input] of [
    ['read_file', { path }],
    ['edit_file', { path, old_text: 'needle', new_text: 'pin' }],
    ['search', { pattern: 'needle', path }],
  ] as const) {
    const result = await call(name, input);
    expect(result.text, name).not.toContain('needle of');
    if (name !== 'search') expect(result.isError).toBe(true);
  }
  await call('write_file', { path, content: 'evil' });
  await made.close();
  expect(text('.holdfast/config.yml')).toBe('needle of the user');
});

test('lists and searches skip them, and no file can be created there', async () => {
  const { call, made, workspace } = await inHome();
  const { text: listed } = await call('list_files', { include_ignored: true });
  expect(listed.split('\n')).toEqual(['hard.yml', 'link (symlink)', 'notes.txt', 'own.db']);
  for (const path of ['.holdfast', 'link', '.holdfast/outputs'])
    expect(await call('list_files', { path })).toMatchObject({ isError: true });
  const { text: found } = await call('search', { pattern: 'needle', include_ignored: true });
  expect(found).toContain('notes.txt:1');
  expect(found).not.toMatch(/of the user|of a chat/);
  expect(await call('write_file', { path: '.holdfast/new.txt', content: 'x' })).toMatchObject({ isError: true });
  const { filesChanged, text } = await call('run_command', {
    command: 'echo more >> .holdfast/outputs/log; echo x > y',
  });
  expect({ filesChanged, text: text.includes('outside') }).toEqual({ filesChanged: ['y'], text: false });
  await made.close();
  expect(readFileSync(join(workspace, '.holdfast/outputs/log'), 'utf8')).toBe('more\n');
});

test('a store elsewhere is out of reach once listed, also through a hard link in the workspace', async () => {
  const { call, made } = await inHome(['own.db']);
  expect(await call('read_file', { path: 'own.db' })).toMatchObject({ isError: true });
  await made.close();
  const place = await toolsInWorkspace();
  writeFileSync(join(place.outside, 'far.db'), 'needle');
  linkSync(join(place.outside, 'far.db'), join(place.workspace, 'near.txt'));
  const far = await createTools({ workspace: place.workspace, unreachable: [join(place.outside, 'far.db')] });
  expect(await far.tools.find(({ name }) => name === 'read_file')?.call({ path: 'near.txt' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('hard link'),
  });
  await far.close();
});

test.each(['.ssh/id_ed25519', '.aws/credentials', '.netrc', '.NPMRC', '.config/gh/hosts.yml'])(
  'in the home folder credentials are out of reach: %s',
  async (path) => {
    const { call, made, put } = await inHome();
    put(path, 'needle of a key');
    const results = [
      await call('read_file', { path }),
      await call('write_file', { path, content: 'x' }),
      await call('search', { pattern: 'needle of a key' }),
    ];
    await made.close();
    expect(results.map(({ isError }) => isError)).toEqual([true, true, false]);
    expect(results.map(({ text }) => text).join()).not.toMatch(/\d\tneedle|:1: /);
  },
);

test("tools do not work inside holdfast's own folder", async () => {
  const place = await toolsInWorkspace();
  process.env.HOME = place.base;
  const inner = join(place.base, '.holdfast/outputs');
  mkdirSync(inner, { recursive: true });
  await expect(createTools({ workspace: inner })).rejects.toMatchObject({ code: 'BAD_CONFIG' });
});
