import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentedConfig, loadConfig } from '@holdfast/agent/config';
import { expect, test } from 'vitest';
import { folderWith, holdfast } from './holdfast.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

test('init --force replaces a symlink but not its target', async () => {
  const cwd = folderWith({ 'precious.txt': 'mine' });
  symlinkSync('precious.txt', join(cwd, 'holdfast.yml'));
  expect((await holdfast(['init', '--force'], { cwd })).code).toBe(0);
  expect(readFileSync(join(cwd, 'precious.txt'), 'utf8')).toBe('mine');
  expect(readFileSync(join(cwd, 'holdfast.yml'), 'utf8')).toBe(commentedConfig());
});

test('init writes a file that loads, and never overwrites one', async () => {
  const cwd = folderWith({ '.git/HEAD': '' });
  const first = await holdfast(['init'], { cwd });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(cwd, 'holdfast.yml'), 'utf8')).toBe(commentedConfig());
  writeFileSync(join(cwd, 'holdfast.yml'), '# mine\n');
  expect(await holdfast(['init'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'holdfast: holdfast.yml already exists: --force overwrites it\n',
  });
  expect(readFileSync(join(cwd, 'holdfast.yml'), 'utf8')).toBe('# mine\n');
  expect((await holdfast(['init', '--force'], { cwd })).code).toBe(0);
  expect(loadConfig({ cwd }).warnings).toEqual([]);
});

test('init --stdout writes nothing', async () => {
  const cwd = folderWith();
  expect(await holdfast(['init', '--stdout'], { cwd })).toEqual({ code: 0, stdout: commentedConfig(), stderr: '' });
  expect(loadConfig({ cwd }).file).toBeUndefined();
});

test('config prints the effective values and their sources', async () => {
  const cwd = folderWith({
    '.git/HEAD': '',
    'holdfast.yml': 'execution:\n  max_conversation_messages: 30\n  conversation:\n    preserve_last_n: 5\n',
  });
  const { code, stdout, stderr } = await holdfast(['config', '--provider', 'openai-api'], {
    cwd,
    env: { HOLDFAST_MODEL: 'gpt-6-sol' },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^# holdfast\.yml$/m);
  expect(stdout).toMatch(/^ {2}type: openai-api +# --provider$/m);
  expect(stdout).toMatch(/^ {2}model: gpt-6-sol +# HOLDFAST_MODEL$/m);
  expect(stdout).toMatch(/^ {4}max_messages: 30 +# holdfast\.yml:2$/m);
  expect(stdout).toMatch(/^ {4}preserve_last_n: 5 +# holdfast\.yml:4$/m);
  expect(stdout).toMatch(/^ {2}max_iterations: 50 +# default$/m);
  const again = folderWith({ 'holdfast.yml': stdout });
  expect(loadConfig({ cwd: again }).config).toEqual(
    loadConfig({
      cwd,
      env: { HOLDFAST_MODEL: 'gpt-6-sol' },
      flags: { 'provider.type': { value: 'openai-api', flag: '' } },
    }).config,
  );
});

test('config --json prints one JSON document, warnings go elsewhere', async () => {
  const cwd = folderWith({ '.ai/config.yml': 'version: 1\ngit: {}\nprovider: claude-cli\n' });
  const { stdout, stderr } = await holdfast(['config', '--json'], { cwd });
  const warning = '.ai/config.yml: not used by holdfast: git';
  expect(stderr).toBe(`holdfast: warning: ${warning}\n`);
  const printed = JSON.parse(stdout);
  expect(printed).toMatchObject({
    file: join(cwd, '.ai/config.yml'),
    warnings: [warning],
    config: { provider: { type: 'claude-cli' } },
  });
  expect(printed.sources['provider.type']).toEqual({ type: 'file', file: join(cwd, '.ai/config.yml'), line: 3 });
});

test('an invalid configuration lists every problem on its own line, with exit code 2', async () => {
  const cwd = folderWith({ 'holdfast.yml': 'execution:\n  max_iteratons: 5\n  max_cost: -1\n' });
  expect(await holdfast(['config'], { cwd })).toEqual({
    code: 2,
    stdout: '',
    stderr: [
      'holdfast: holdfast.yml:2:3: execution.max_iteratons is not a known key: did you mean max_iterations?\n',
      'holdfast: holdfast.yml:3:13: execution.max_cost is -1: expected an amount in dollars, 0 or more\n',
    ].join(''),
  });
});

test('HOLDFAST_DEBUG adds the stack trace, but never a key', async () => {
  const cwd = folderWith({ 'holdfast.yml': 'provider:\n  model: sk-ant-api03-Zx81Qabcdef1234567890\n' });
  const { stderr } = await holdfast(['config'], { cwd, env: { HOLDFAST_DEBUG: '1' } });
  expect(stderr).toMatch(/^holdfast: HoldfastError: .*\n {4}at /m);
  expect(stderr).not.toContain('Zx81Q');
});

test('--config names another file, and a missing one is an error', async () => {
  const cwd = folderWith({ 'other.yml': 'execution: { max_iterations: 4 }' });
  expect((await holdfast(['config', '--config', 'other.yml'], { cwd })).stdout).toMatch(
    /max_iterations: 4 +# other\.yml:1$/m,
  );
  expect(await holdfast(['config', '--config=gone.yml'], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('holdfast: gone.yml: does not exist: '),
  });
});

test.skipIf(!isRoot)('a file that cannot be read, a folder that may not be written', async () => {
  const cwd = folderWith({ 'holdfast.yml': '' });
  chmodSync(cwd, 0o755);
  chmodSync(join(cwd, 'holdfast.yml'), 0o600);
  const config = await holdfast(['config'], { cwd, uid: NOBODY });
  expect(config).toMatchObject({ code: 2, stderr: expect.stringContaining('holdfast.yml: cannot be read') });
  const bare = folderWith();
  chmodSync(bare, 0o555);
  const init = await holdfast(['init'], { cwd: bare, uid: NOBODY });
  expect(init).toMatchObject({ code: 2, stderr: expect.stringMatching(/cannot write .* \(EACCES\): .*--stdout/) });
  const doctor = await holdfast(['doctor', '--provider', 'stand-in'], {
    cwd: bare,
    uid: NOBODY,
    env: { HOLDFAST_HOME: '/root/holdfast' },
  });
  expect(doctor.code).toBe(1);
  expect(doctor.stdout).toMatch(/^problem +workspace: cannot write to .*$/m);
  expect(doctor.stdout).toMatch(/^problem +state folder: cannot write to .*$/m);
  expect(doctor.stdout).toContain('export HOLDFAST_HOME=');
});

test('a password in HOLDFAST_STORE is accepted but never shown', async () => {
  const password = 'pa55-w0rd';
  const start = (scheme: string) => ({
    cwd: folderWith(),
    env: { HOLDFAST_STORE: `${scheme}://ann:${password}@127.0.0.1:1/app`, HOLDFAST_DEBUG: '1' },
  });
  for (const [args, scheme, code, text] of [
    [['config'], 'postgres', 0, 'store: postgres://ann:***@127.0.0.1:1/app'],
    [['config', '--json'], 'postgres', 0, 'postgres://ann:***@127.0.0.1:1/app'],
    [['sessions', 'list'], 'mysql', 2, 'unknown store mysql://…'],
    [['recall', 'x', 'y'], 'mysql', 2, 'unknown store mysql://…'],
    [['doctor', '--provider', 'stand-in'], 'postgres', undefined, 'configuration'],
    [['run', 'nope.md'], 'postgres', 2, 'nope.md'],
  ] as const) {
    const ended = await holdfast(args, start(scheme));
    if (code !== undefined) expect(ended.code, ended.stderr).toBe(code);
    expect(ended.stdout + ended.stderr).toContain(text);
    expect(ended.stdout + ended.stderr).not.toContain(password);
  }
});
