import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { BIN, folderWith, holdfast, run } from './holdfast.ts';
import { openTerminal, SIZES } from './terminal.ts';

const COMMANDS = ['run', 'sessions', 'recall', 'replay', 'init', 'config', 'doctor', 'completion'];

test('without arguments it prints help that names every command, with examples', async () => {
  const [bare, help] = await Promise.all([holdfast([]), holdfast(['--help'])]);
  expect(bare).toEqual(help);
  expect(help.code).toBe(0);
  expect(help.stderr).toBe('');
  expect(help.stdout).toContain('Examples:');
  expect(help.stdout).toContain('Exit codes: 0 done');
  for (const command of COMMANDS) expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
});

test('help lists what a new user needs first, and explains a fold where it first names one', async () => {
  const { stdout } = await holdfast(['--help']);
  const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name]) => name);
  expect(names.slice(0, 4)).toEqual(['setup', 'chat', 'run', 'proxy']);
  expect(/\bfolds?\b(?: \S+)?/.exec(stdout)?.[0]).toBe('fold (compact)');
});

test.each(COMMANDS)('%s has help with examples', async (command) => {
  const { code, stdout } = await holdfast([command, '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Usage: holdfast ${command}`);
  expect(stdout).toMatch(new RegExp(`Examples:\n.*holdfast ${command}`));
});

test('--version prints the version alone', async () => {
  expect(await holdfast(['--version'])).toEqual({ code: 0, stdout: '0.1.0\n', stderr: '' });
});

test.each([
  [['inti'], "holdfast: unknown command 'inti' (Did you mean init?); see holdfast --help\n"],
  [['rnu', 'TASK.md'], "holdfast: unknown command 'rnu' (Did you mean run?); see holdfast --help\n"],
  [['help', 'docter'], "holdfast: unknown command 'docter' (Did you mean doctor?); see holdfast --help\n"],
  [['init', '--forc'], "holdfast: unknown option '--forc' (Did you mean --force?); see holdfast init --help\n"],
  [['config', '--jsn'], "holdfast: unknown option '--jsn' (Did you mean --json?); see holdfast config --help\n"],
  [['-p', 'hello'], "holdfast: unknown option '-p': type holdfast chat -p; see holdfast --help\n"],
  [['--continue'], "holdfast: unknown option '--continue': type holdfast chat -c; see holdfast --help\n"],
  [
    ['resume', 'k3v9'],
    "holdfast: unknown command 'resume': type holdfast chat --resume, or holdfast runs resume; see holdfast --help\n",
  ],
  [['login'], "holdfast: unknown command 'login': type holdfast setup; see holdfast --help\n"],
  [['models'], "holdfast: unknown command 'models': type /model in holdfast chat; see holdfast --help\n"],
  [
    ['cost'],
    "holdfast: unknown command 'cost': type /cost in holdfast chat -c, or holdfast sessions show; see holdfast --help\n",
  ],
  [['help', 'login'], "holdfast: unknown command 'login': type holdfast setup; see holdfast --help\n"],
  [['completion'], "holdfast: missing required argument 'shell'; see holdfast completion --help\n"],
  [['config', '--model'], "holdfast: option '--model <name>' argument missing; see holdfast config --help\n"],
  [
    ['chat', '--provider', 'openai'],
    'holdfast: unknown provider "openai": expected one of anthropic-api, openai-api, gemini-api, claude-cli, cursor-cli, stand-in; did you mean openai-api?\n',
  ],
  [
    ['run', '--resume'],
    "holdfast: missing required argument 'task'; to continue an earlier run: holdfast runs resume; see holdfast run --help\n",
  ],
  [['crew', 'run'], "holdfast: missing required argument 'file'; see holdfast crew run --help\n"],
])('%j is invalid usage: one line of advice and exit code 2', async (args, stderr) => {
  expect(await holdfast(args)).toEqual({ code: 2, stdout: '', stderr });
});

test('a prompt without a command gets advice to use chat', async () => {
  const { code, stderr } = await holdfast(['fix the test']);
  expect(code).toBe(2);
  expect(stderr).toBe(
    "holdfast: unknown command 'fix the test'; to ask a model: holdfast chat 'fix the test'; see holdfast --help\n",
  );
});

test.each([
  [['run', '--json'], "missing required argument 'task'"],
  [['run', 'TASK.md', '--json', '--chekcs'], "unknown option '--chekcs' (Did you mean --checks?)"],
  [['chat', '--output-format=json', '--bogus', 'hello'], "unknown option '--bogus'"],
])('%j: the error is JSON, too', async (args, error) => {
  const { code, stdout, stderr } = await holdfast(args);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({ type: 'error', error, exitCode: 2 });
  expect(stderr).toContain(error);
});

test('help is not an error, and the --json of another program is not ours', async () => {
  expect((await holdfast(['run', '--json', '--help'])).stdout).toMatch(/^Usage: /);
  expect((await holdfast(['run', '--bogus', '--', '--json'])).stdout).toBe('');
});

test('colours appear on a terminal or with FORCE_COLOR only', async () => {
  const cwd = folderWith({ '.git/HEAD': '' });
  const start = (env: Readonly<Record<string, string>>) =>
    holdfast(['config'], { cwd, env }).then(({ stdout }) => stdout.includes('\u001b['));
  expect(await Promise.all([start({}), start({ FORCE_COLOR: '1' }), start({ FORCE_COLOR: '0' })])).toEqual([
    false,
    true,
    false,
  ]);
});

test('exits quietly when the reader closes the pipe', async () => {
  const command = `"${process.execPath}" "${BIN}" init --stdout | head -n 1; echo "\${PIPESTATUS[0]}"`;
  const { stdout, stderr } = await run('bash', ['-c', command], {
    cwd: folderWith(),
    env: { PATH: process.env.PATH ?? '' },
  });
  expect(stdout).toMatch(/^# Holdfast settings.*\n0\n$/);
  expect(stderr).toBe('');
});

const LAUNCHER = fileURLToPath(new URL('../bin/holdfast.js', import.meta.url));
const OLD_NODE = '/usr/bin/node';
const isOld = existsSync(OLD_NODE) && /^v(?:1\d|20)\./.test((await run(OLD_NODE, ['-v'], { cwd: '/' })).stdout);

const HOW =
  /^holdfast: needs Node 22\.16 or newer, but this is\n[\d.]+ \(\/usr\/bin\/node\)\.\nGet Node 24 from https:\/\/nodejs\.org/m;

/** The launcher as an installed package has it, outside the repository. */
async function installed(): Promise<string> {
  const cwd = folderWith({ 'package.json': '{"type":"module"}' });
  await run('cp', ['-r', join(LAUNCHER, '..'), cwd], { cwd, env: { PATH: process.env.PATH ?? '' } });
  return join(cwd, 'bin/holdfast.js');
}

test.skipIf(!isOld)('on an older Node it names the version needed and how to get it, with exit code 2', async () => {
  const { code, stdout, stderr } = await run(OLD_NODE, [await installed(), '--help'], { cwd: folderWith() });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(HOW);
});

test.skipIf(!isOld).each(SIZES)('%i×%i: on an older Node, no line is broken', async (cols, rows) => {
  const terminal = openTerminal({ command: OLD_NODE, args: [await installed(), 'chat'], cols, rows });
  expect(await terminal.exit).toBe(2);
  expect(terminal.scrollback().join('\n')).toMatch(HOW);
  expect(terminal.brokenRows()).toEqual([]);
});

/** The package as it is published, but without dependencies, so that nothing is downloaded. */
async function packed(env: Record<string, string>): Promise<string> {
  const {
    dependencies: _,
    devDependencies: __,
    ...own
  } = JSON.parse(readFileSync(join(LAUNCHER, '../../package.json'), 'utf8'));
  const { prepack: ___, postpack: ____, ...scripts } = own.scripts;
  const cwd = folderWith({ 'package.json': JSON.stringify({ ...own, scripts }) });
  await run('cp', ['-r', join(LAUNCHER, '..'), cwd], { cwd, env });
  const { stdout, stderr } = await run('npm', ['pack', '--silent'], { cwd, env });
  expect(stdout, stderr).toMatch(/\.tgz\n$/);
  return join(cwd, stdout.trim());
}

const hasOldNpm = isOld && existsSync('/usr/bin/npm');

test.skipIf(!hasOldNpm)('npm install -g on an older Node stops at once and says the same', async () => {
  const home = folderWith();
  const env = { PATH: '/usr/bin:/bin', HOME: home, npm_config_cache: join(home, 'cache'), npm_config_offline: 'true' };
  const prefix = folderWith();
  const args = ['install', '-g', '--prefix', prefix, await packed(env)];
  const { code, stderr } = await run('npm', args, { cwd: prefix, env });
  expect(code).not.toBe(0);
  expect(stderr.replace(/^npm (?:error|ERR!) /gm, '')).toMatch(HOW);
  expect(existsSync(join(prefix, 'bin/holdfast'))).toBe(false);
  // Where scripts are switched off, the first start says it.
  const quiet = await run('npm', [...args, '--ignore-scripts'], { cwd: prefix, env });
  expect(quiet.code, quiet.stderr).toBe(0);
  const first = await run(join(prefix, 'bin/holdfast'), [], { cwd: prefix, env });
  expect(first.code).toBe(2);
  expect(first.stderr).toMatch(HOW);
});

test('an installation without its program says how to get it', async () => {
  const { code, stderr } = await run(process.execPath, [await installed()], { cwd: folderWith() });
  expect(code).toBe(2);
  expect(stderr).toMatch(/^holdfast: its program is missing: .*npm install -g @holdfast\/cli/);
});
