import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { firstLine } from '../../../scripts/first-line.ts';
import { folderWith, run } from './holdfast.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const OLD_NODE = '/usr/bin/node';
const isOld = existsSync(OLD_NODE) && /^v(?:1\d|20)\./.test((await run(OLD_NODE, ['-v'], { cwd: '/' })).stdout);
const NODES = isOld ? [process.execPath, OLD_NODE] : [process.execPath];

/** A clone as it is after `npm ci`: nothing is built. */
const clone = folderWith();
const launcher = join(clone, 'packages/cli/bin/holdfast.js');
const env = { PATH: process.env.PATH ?? '', HOME: folderWith() };

beforeAll(() => {
  const modules = join(clone, 'node_modules');
  mkdirSync(join(modules, '@holdfast'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@holdfast' && name !== 'holdfast') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(ROOT, 'packages'))) {
    const to = join(clone, 'packages', name);
    cpSync(join(ROOT, 'packages', name), to, { recursive: true, filter: (path) => !/[/\\]dist$/.test(path) });
    symlinkSync(to, join(modules, name === 'engine' ? 'holdfast' : `@holdfast/${name}`));
  }
  for (const name of ['scripts', 'examples', 'package.json', 'package-lock.json', 'README.md'])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
});

afterAll(() => rmSync(clone, { recursive: true, force: true }));

/** The commands with which README begins. */
function firstCommands(): string[] {
  const [, block = ''] =
    /<!-- install: .*?-->\n+```\n(.*?)```/s.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
  return block.split('\n').flatMap((line) => line.replace(/\s+#.*/, '').trim() || []);
}

test.each(NODES)('in a clone that nobody built, `holdfast` works on %s, and `ui` serves its page', async (node) => {
  const start = { cwd: folderWith(), env };
  expect(await run(node, [launcher, '--version'], start)).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
  const ui = spawn(node, [launcher, 'ui', '--no-open', '--port', '0'], {
    ...start,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void ui.kill('SIGKILL'));
  const ended = new Promise((resolve) => ui.once('exit', resolve));
  const address = /http:\S+/.exec(await firstLine(ui))?.[0] ?? '';
  expect(await (await fetch(address)).text()).toContain('<script');
  ui.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('the first commands of README can be followed: they are two, and `holdfast` is on the path after them', async () => {
  const commands = firstCommands();
  expect(commands).toHaveLength(2);
  const { scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  const parts = commands.flatMap((command) => command.split(' && '));
  const [install, start, link = ''] = parts;
  expect([install, start]).toEqual(['npm ci', 'npm start']);
  expect(scripts.start).toBe('node examples/start.ts');
  const prefix = folderWith();
  const npm = { ...env, npm_config_prefix: prefix, npm_config_offline: 'true' };
  const linked = await run('bash', ['-c', link], { cwd: clone, env: npm });
  expect(linked.code, linked.stderr).toBe(0);
  const command = process.platform === 'win32' ? join(prefix, 'holdfast.cmd') : join(prefix, 'bin/holdfast');
  for (const node of NODES) {
    const PATH = `${join(node, '..')}:${env.PATH}`;
    const { stdout, stderr } = await run(command, ['--version'], { cwd: folderWith(), env: { ...env, PATH } });
    expect({ stdout, stderr }).toEqual({ stdout: '0.1.0\n', stderr: '' });
  }
});

test('`ui` says what to do before it serves, if its page was not built', async () => {
  const dist = join(clone, 'packages/inspector/dist');
  rmSync(dist, { recursive: true, force: true });
  const flags = ['--conditions=@holdfast/source', launcher];
  const { code, stdout, stderr } = await run(process.execPath, [...flags, 'ui', '--port', '0'], { cwd: clone, env });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^holdfast: the page of the inspector is not built: run `npm run build` in /);
});
