import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { parseScope } from '../../src/index.ts';
import { openWorkspace } from '../../src/tools/files/workspace.ts';
import { SECRET, toolsInWorkspace } from './tools-in-workspace.ts';

type Place = Awaited<ReturnType<typeof toolsInWorkspace>>;

/** A path that must not be read, listed, searched, written or edited; `set` lays the trap. */
interface Escape {
  readonly name: string;
  readonly path: string | ((place: Place) => string);
  readonly set?: (place: Place) => void | Promise<void>;
  /** Why it is refused, where more than one reason would do. */
  readonly because?: RegExp;
}

const link = (target: (place: Place) => string, name: string) => (place: Place) =>
  symlinkSync(target(place), join(place.workspace, name));

const ESCAPES: readonly Escape[] = [
  { name: 'the parent', path: '../outside/secret.txt', because: /leads out of the folder/ },
  { name: 'the parent, from below', path: 'src/../../outside/secret.txt', because: /leads out of the folder/ },
  { name: 'the parent, many times', path: `${'../'.repeat(30)}etc/passwd`, because: /leads out of the folder/ },
  { name: 'the parent behind doubled slashes', path: './/..//outside/secret.txt', because: /leads out of the folder/ },
  { name: 'the parent with backslashes', path: '..\\outside\\secret.txt', because: /backslash/ },
  { name: 'the parent, percent-encoded', path: '%2e%2e/outside/secret.txt' },
  { name: 'the parent with full-width dots', path: '．．/outside/secret.txt', because: /leads out of the folder/ },
  { name: 'the parent with one-dot leaders', path: '․․/outside/secret.txt', because: /leads out of the folder/ },
  { name: 'a full-width slash', path: '..／outside／secret.txt', because: /some systems read as/ },
  { name: 'a two-dot leader', path: '‥/outside/secret.txt', because: /leads out of the folder/ },
  { name: 'the parent and a space', path: '.. /outside/secret.txt', because: /dot or a space/ },
  { name: 'three dots', path: '.../outside/secret.txt', because: /dot or a space/ },
  { name: 'an absolute path', path: '/etc/passwd', because: /absolute/ },
  {
    name: 'an absolute path to the neighbour',
    path: (place) => join(place.outside, 'secret.txt'),
    because: /absolute/,
  },
  {
    name: 'an absolute path that begins like the workspace',
    path: (place) => `${place.workspace}-2/secret.txt`,
    because: /absolute/,
  },
  {
    name: 'an absolute path through the workspace',
    path: (place) => `${place.workspace}/../outside/secret.txt`,
    because: /leads out of the folder/,
  },
  { name: 'doubled slash first', path: '//etc/passwd', because: /absolute/ },
  { name: '/proc/self/root', path: '/proc/self/root/etc/passwd', because: /absolute/ },
  { name: '/proc/self/cwd', path: '/proc/self/cwd/package.json', because: /absolute/ },
  { name: '/proc/self/environ', path: '/proc/self/environ', because: /absolute/ },
  { name: '/dev/fd', path: '/dev/fd/0', because: /absolute/ },
  { name: 'home', path: '~/.ssh/id_rsa', because: /not expanded/ },
  { name: 'home of root', path: '~root/.bashrc', because: /not expanded/ },
  { name: 'a variable', path: '$HOME/.bashrc' },
  { name: 'a file URL', path: 'file:///etc/passwd', because: /URL/ },
  { name: 'a file URL without a host', path: 'FILE:/etc/passwd', because: /URL/ },
  { name: 'a web URL', path: 'http://127.0.0.1/x', because: /URL/ },
  { name: 'a drive', path: 'C:/Windows/win.ini', because: /URL|drive/ },
  { name: 'a UNC path', path: '\\\\server\\share\\x', because: /backslash/ },
  { name: 'NUL at the end', path: 'ok.txt\0', because: /NUL/ },
  { name: 'NUL in the middle', path: 'ok.txt\0/../../outside/secret.txt', because: /NUL/ },
  { name: 'a line break', path: 'ok.txt\n../outside/secret.txt', because: /control/ },
  { name: 'half a character', path: 'a\ud800/../x', because: /well-formed/ },
  { name: 'a name of 300 bytes', path: 'a'.repeat(300), because: /longer than 255/ },
  { name: 'a name of 200 characters and 400 bytes', path: 'é'.repeat(200), because: /longer than 255/ },
  { name: 'a path of 5,000 bytes', path: 'a/'.repeat(2_500), because: /longer than 4096/ },
  { name: 'nothing', path: '', because: /empty/ },
  { name: 'a name with a dot behind it', path: 'ok.txt.', because: /dot or a space/ },
  {
    name: 'a symlink to a file outside',
    path: 'link',
    set: link((p) => join(p.outside, 'secret.txt'), 'link'),
    because: /leads out/,
  },
  {
    name: 'a symlink to a folder outside',
    path: 'link/secret.txt',
    set: link((p) => p.outside, 'link'),
    because: /leads out/,
  },
  {
    name: 'a relative symlink outside',
    path: 'link/secret.txt',
    set: link(() => '../outside', 'link'),
    because: /leads out/,
  },
  { name: 'a symlink to /', path: 'link/etc/passwd', set: link(() => '/', 'link'), because: /leads out/ },
  {
    name: 'a symlink to /proc/self/root',
    path: 'link/etc/passwd',
    set: link(() => '/proc/self/root', 'link'),
    because: /leads out/,
  },
  {
    name: 'a symlink to /proc/self/cwd',
    path: 'link/package.json',
    set: link(() => '/proc/self/cwd', 'link'),
    because: /leads out/,
  },
  {
    name: 'a symlink through the workspace and out',
    path: 'link',
    set: link((p) => `${p.workspace}/../outside/secret.txt`, 'link'),
    because: /leads out/,
  },
  {
    name: 'a symlink to a symlink outside',
    path: 'one/secret.txt',
    set: (place) => {
      link(() => 'two', 'one')(place);
      link(() => '../outside', 'two')(place);
    },
    because: /leads out/,
  },
  {
    name: 'a symlink whose ".." counts from where it leads',
    path: 'deep/up/up/secret.txt',
    set: (place) => {
      mkdirSync(join(place.workspace, 'deep'));
      link(() => '..', 'deep/up')(place);
      link(() => '../outside', 'up')(place);
    },
    because: /leads out/,
  },
  {
    name: 'a dangling symlink outside',
    path: 'link',
    set: link((p) => join(p.outside, 'new.txt'), 'link'),
    because: /leads out/,
  },
  { name: 'a symlink to itself', path: 'loop', set: link(() => 'loop', 'loop'), because: /symlinks/ },
  {
    name: 'a symlink into a folder that is missing, and up',
    path: 'link',
    set: link(() => 'none/../../outside/secret.txt', 'link'),
    because: /leads out/,
  },
  {
    name: 'a FIFO',
    path: 'pipe',
    set: (place) => void execFileSync('sh', ['-c', `mkfifo ${join(place.workspace, 'pipe')}`]),
    because: /not a regular file/,
  },
  { name: 'a symlink to a device', path: 'zero', set: link(() => '/dev/zero', 'zero'), because: /leads out/ },
  {
    name: 'a socket',
    path: 'socket',
    async set(place) {
      const server = createServer().listen(join(place.workspace, 'socket'));
      onTestFinished(() => void server.close());
      await once(server, 'listening');
    },
    because: /not a regular file/,
  },
  { name: 'a glob for a path', path: '../*/secret.txt', because: /leads out of the folder/ },
  { name: 'a command for a path', path: '$(cat secret.txt)' },
  { name: 'a path followed by a command', path: 'ok.txt; cat ../outside/secret.txt', because: /is refused/ },
];

/** All that lies outside, as text. */
const outsideOf = (place: Place) =>
  readdirSync(place.outside).map(
    (name) =>
      `${name}=${lstatSync(join(place.outside, name)).isFile() ? readFileSync(join(place.outside, name), 'utf8') : '?'}`,
  );

test('at least forty escapes are tried', () => expect(ESCAPES.length).toBeGreaterThanOrEqual(40));

test.each(ESCAPES)('no escape through $name', async ({ path, set, because }) => {
  const place = await toolsInWorkspace({}, { 'ok.txt': 'fine', 'src/a.ts': 'a' });
  await set?.(place);
  const asked = typeof path === 'string' ? path : path(place);
  const before = outsideOf(place);
  const read = await place.call('read_file', { path: asked });
  const edited = await place.call('edit_file', { path: asked, old_text: SECRET, new_text: 'x' });
  const listed = await place.call('list_files', { path: asked });
  const searched = await place.call('search', { path: asked, pattern: '.' });
  const written = await place.call('write_file', { path: asked, content: 'x' });
  for (const result of [read, edited]) expect(result.isError).toBe(true);
  for (const result of [read, edited, listed, searched]) {
    expect(result.text).not.toContain(SECRET);
    expect(result.text).not.toContain('root:');
  }
  if (because) for (const result of [read, edited, written]) expect(result.text).toMatch(because);
  if (because) expect(written).toMatchObject({ isError: true, filesChanged: [] });
  // Odd names that lead nowhere may be made, inside.
  else expect(lstatSync(join(place.workspace, asked)).isFile()).toBe(true);
  expect(outsideOf(place)).toEqual(before);
  expect(place.text('ok.txt')).toBe('fine');
});

test('a hard link to a file outside is not written to', async () => {
  const place = await toolsInWorkspace();
  linkSync(join(place.outside, 'secret.txt'), join(place.workspace, 'hard.txt'));
  expect(await place.call('edit_file', { path: 'hard.txt', old_text: 'TOP', new_text: 'NO' })).toMatchObject({
    isError: false,
  });
  expect(place.text('hard.txt')).toContain('NO-SECRET');
  expect(outsideOf(place)).toEqual([`secret.txt=${SECRET}`]);
  unlinkSync(join(place.workspace, 'hard.txt'));
  linkSync(join(place.outside, 'secret.txt'), join(place.workspace, 'hard.txt'));
  await place.call('write_file', { path: 'hard.txt', content: 'mine' });
  expect(outsideOf(place)).toEqual([`secret.txt=${SECRET}`]);
});

test('symlinks inside the workspace are followed, but not by list and search', async () => {
  const place = await toolsInWorkspace({}, { 'src/a.ts': 'needle' });
  symlinkSync('src', join(place.workspace, 'alias'));
  symlinkSync(join(place.workspace, 'src/a.ts'), join(place.workspace, 'absolute.ts'));
  symlinkSync(place.outside, join(place.workspace, 'out'));
  expect((await place.call('read_file', { path: 'alias/a.ts' })).text).toBe('1\tneedle');
  expect(await place.call('write_file', { path: 'absolute.ts', content: 'needle 2' })).toMatchObject({
    filesChanged: ['src/a.ts'],
  });
  expect((await place.call('list_files', {})).text.split('\n')).toEqual([
    'absolute.ts (symlink)',
    'alias (symlink)',
    'out (symlink)',
    'src/',
    'src/a.ts',
  ]);
  expect((await place.call('search', { pattern: 'needle|SECRET' })).text).toBe(
    'src/a.ts:1: needle 2\n[1 match in 1 file]',
  );
});

const SCOPE = parseScope({
  allowed: ['src/**', 'notes.md (new file)'],
  forbidden: ['src/core/ (read-only)', 'src/Key.ts'],
});
const OUT_OF_SCOPE: readonly (readonly [string, string])[] = [
  ['other case', 'src/CORE/x.ts'],
  ['decomposed characters', 'src/co\u0072e/x.ts'],
  ['invisible characters', 'src/co\u200bre/x.ts'],
  ['full-width letters', 'src/ｃore/x.ts'],
  ['doubled slashes', 'src//core///x.ts'],
  ['a dot between', 'src/./core/./x.ts'],
  ['lower case of a forbidden file', 'src/key.ts'],
  ['a symlink to a forbidden folder', 'src/alias/x.ts'],
  ['a symlink to a forbidden file', 'src/file-alias.ts'],
  ['a symlink out of what is allowed', 'src/up/other.ts'],
  ['what is not allowed', 'other.ts'],
  ['another case of what is allowed', 'SRC/a.ts'],
  ['a name that begins like an allowed one', 'src-2/a.ts'],
  ['a name that starts with an allowed one', 'notes.md.bak'],
  ['a command behind an allowed name', 'notes.md;touch other.ts'],
  ['a heading in a name', '### Allowed - other.ts'],
  ['a glob for a name', '**'],
  ['git, in any case', 'src/.GIT/hooks/pre-commit'],
  ['git, with an invisible character', 'src/.g\u200cit/config'],
];

test.each(OUT_OF_SCOPE)('the scope cannot be bypassed by %s', async (_, path) => {
  const place = await toolsInWorkspace(
    { scope: SCOPE },
    { 'src/core/x.ts': 'core', 'src/Key.ts': 'key', 'other.ts': 'other' },
  );
  symlinkSync('core', join(place.workspace, 'src/alias'));
  symlinkSync('Key.ts', join(place.workspace, 'src/file-alias.ts'));
  symlinkSync('..', join(place.workspace, 'src/up'));
  const before = execFileSync('find', [place.workspace, '-type', 'f']).toString();
  const result = await place.call('write_file', { path, content: 'changed' });
  expect(result.isError).toBe(true);
  expect(result.text).toMatch(/scope|belongs to git|is refused/);
  expect(execFileSync('find', [place.workspace, '-type', 'f']).toString()).toBe(before);
  expect(place.text('src/core/x.ts') + place.text('src/Key.ts') + place.text('other.ts')).toBe('corekeyother');
});

/** Swaps a folder of the workspace for a symlink to one outside and back, as fast as it can, until `ms` are over. */
const RACER = `
const { renameSync, symlinkSync, unlinkSync, mkdirSync, rmSync } = require('node:fs');
const { workerData: { folder, hidden, outside, ms }, parentPort } = require('node:worker_threads');
let swaps = 0;
const spin = () => { for (const end = performance.now() + Math.random() * 0.1; performance.now() < end; ); };
for (const end = Date.now() + ms; Date.now() < end; swaps++) {
  try { renameSync(folder, hidden); symlinkSync(outside, folder); spin(); unlinkSync(folder); renameSync(hidden, folder); spin(); } catch {}
}
parentPort.postMessage(swaps);`;

test.each(['descriptors', 'paths'] as const)(
  'a folder swapped for a symlink in a loop is never gone through (%s)',
  async (by) => {
    const place = await toolsInWorkspace({}, { 'dir/secret.txt': 'harmless' });
    const workspace = openWorkspace(place.workspace, by);
    const data = {
      folder: join(place.workspace, 'dir'),
      hidden: join(place.workspace, 'hidden'),
      outside: place.outside,
      ms: 1_500,
    };
    const worker = new Worker(RACER, { eval: true, workerData: data });
    let swaps = 0;
    worker.on('message', (count: number) => {
      swaps = count;
    });
    const over = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    let running = true;
    void over.then(() => {
      running = false;
    });
    let reads = 0;
    let writes = 0;
    for (let round = 0; running; round++) {
      try {
        const { bytes } = workspace.read('dir/secret.txt', () => {}, 1_000);
        expect(bytes.toString()).not.toContain(SECRET);
        reads++;
      } catch (error) {
        if (error instanceof Error && error.name !== 'ToolFailure') throw error;
      }
      // A write waits for the disk, so that reads would hardly ever have their turn.
      if (round % 5 > 0) continue;
      try {
        workspace.write(`dir/new-${round % 25}.txt`, () => {}, Buffer.from('mine'));
        writes++;
      } catch (error) {
        if (error instanceof Error && error.name !== 'ToolFailure') throw error;
      }
      if (round % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(Math.min(swaps, reads + writes)).toBeGreaterThan(50);
    // Without descriptors an empty file may come into being outside, before the check that follows; never a byte of text.
    const left = outsideOf(place).filter((file) => by === 'descriptors' || !/^\.holdfast-[\w-]+\.tmp=$/.test(file));
    expect(left).toEqual([`secret.txt=${SECRET}`]);
  },
);

test('a parent folder swapped for a symlink after the check is not followed', async () => {
  const place = await toolsInWorkspace({}, { 'dir/a.txt': 'a' });
  const workspace = openWorkspace(place.workspace);
  const swap = () => {
    renameSync(join(place.workspace, 'dir'), join(place.workspace, 'was'));
    symlinkSync(place.outside, join(place.workspace, 'dir'));
  };
  expect(() => workspace.write('dir/secret.txt', swap, Buffer.from('x'))).toThrow(/moved|meanwhile/);
  unlinkSync(join(place.workspace, 'dir'));
  const plant = () => symlinkSync(place.outside, join(place.workspace, 'dir'));
  expect(() => workspace.write('dir/secret.txt', plant, Buffer.from('x'))).toThrow(/swapped|symlink/);
  expect(outsideOf(place)).toEqual([`secret.txt=${SECRET}`]);
});

test('an open folder that was moved out of the workspace is not written to', async () => {
  const place = await toolsInWorkspace({}, { 'dir/a.txt': 'a' });
  const workspace = openWorkspace(place.workspace);
  const move = () => renameSync(join(place.workspace, 'dir'), join(place.outside, 'dir'));
  expect(() => workspace.write('dir/b.txt', move, Buffer.from('x'))).toThrow(/moved/);
  expect(readdirSync(join(place.outside, 'dir'))).toEqual(['a.txt']);
});

test('a file that becomes a symlink after the check is replaced, not followed', async () => {
  const place = await toolsInWorkspace({}, { 'a.txt': 'a' });
  const workspace = openWorkspace(place.workspace);
  const swap = () => {
    unlinkSync(join(place.workspace, 'a.txt'));
    symlinkSync(join(place.outside, 'secret.txt'), join(place.workspace, 'a.txt'));
  };
  expect(() => workspace.edit('a.txt', swap, 1_000, () => Buffer.from('x'))).toThrow(/not a regular file|symlink/);
  expect(outsideOf(place)).toEqual([`secret.txt=${SECRET}`]);
});

test('a workspace replaced by another folder is refused', async () => {
  const place = await toolsInWorkspace();
  renameSync(place.workspace, `${place.workspace}-old`);
  symlinkSync(place.outside, place.workspace);
  expect((await place.call('read_file', { path: 'secret.txt' })).text).not.toContain(SECRET);
  rmSync(place.workspace);
  mkdirSync(place.workspace);
  writeFileSync(join(place.workspace, 'x'), 'x');
  expect((await place.call('read_file', { path: 'x' })).text).toMatch(/replaced by another folder/);
});

test('the root of the machine is refused as a workspace', async () => {
  for (const root of ['/', '/proc/self', '/dev', join(homedir(), 'no such folder')])
    expect(() => openWorkspace(root)).toThrow(/workspace/);
});
