import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderOutputs, parseScope } from '../../src/index.ts';
import { toolsInWorkspace } from './tools-in-workspace.ts';

/** Processes of this machine whose command line has this text. */
function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

test('run_command reports exit code, both streams and changed files, and runs in the workspace', async () => {
  const place = await toolsInWorkspace();
  const result = await place.call('run_command', { command: 'pwd; echo bad >&2; echo x > made.txt; exit 3' });
  expect(result.text).toMatch(/^exit code 3 \(\d+\.\d s\)\n/);
  expect(result.text).toContain(`stdout:\n${place.workspace}\nstderr:\nbad`);
  expect(result).toMatchObject({ isError: false, filesChanged: ['made.txt'] });
  expect((await place.call('run_command', { command: 'true' })).text).toMatch(
    /^exit code 0 .*\nstdout: empty\nstderr: empty$/,
  );
  expect((await place.call('run_command', { command: 'cat' })).text).toMatch(/^exit code 0/);
  expect((await place.call('run_command', { command: 'no-such-program-x' })).text).toMatch(/^exit code 127/);
  expect((await place.call('run_command', { command: 'kill -9 $$' })).text).toMatch(/^ended by SIGKILL/);
});

test('keys of this process do not reach a command', async () => {
  const place = await toolsInWorkspace({
    env: { PATH: process.env.PATH, MY_API_KEY: 'k-1', GIT_TOKEN: 'k-2', PLAIN: 'seen' },
    pass_env: ['GIT_TOKEN'],
  });
  const { text } = await place.call('run_command', { command: 'env' });
  expect(text).toContain('PLAIN=seen');
  expect(text).toContain('GIT_TOKEN=k-2');
  expect(text).not.toContain('k-1');
});

test.each([
  [
    'a child that ignores SIGTERM',
    (id: string) => `trap '' TERM; sh -c "trap '' TERM; sleep 600.${id}" & sleep 600.${id}`,
  ],
  ['children of children', (id: string) => `(sh -c 'sleep 600.${id} & sleep 600.${id} & wait' & wait) & wait`],
  ['a child that left the group', (id: string) => `setsid sh -c "trap '' TERM; sleep 600.${id}" & sleep 600.${id}`],
  [
    'children that start others again and again',
    (id: string) => `loop() { sleep 600.${id} & sleep 0.01; loop; }; loop`,
  ],
])('at the time limit all its processes end: %s', async (_, command) => {
  const place = await toolsInWorkspace();
  const id = String(Math.floor(Math.random() * 1e9) + 1e9);
  const result = await place.call('run_command', { command: command(id), time_limit_ms: 400 });
  expect(result.isError).toBe(true);
  expect(result.text).toMatch(/the time limit of 400 ms was reached and all its processes were stopped/);
  expect(running(`600.${id}`)).toEqual([]);
});

test('processes a command leaves running are stopped when it ends, and their output is kept', async () => {
  const place = await toolsInWorkspace();
  const id = String(Math.floor(Math.random() * 1e9) + 1e9);
  const { text, isError } = await place.call('run_command', { command: `sleep 70.${id} & echo started` });
  expect({ text, isError }).toMatchObject({
    isError: false,
    text: expect.stringMatching(/left running were stopped\nstdout:\nstarted/),
  });
  expect(running(`70.${id}`)).toEqual([]);
});

test('cancelling a run stops its command', async () => {
  const place = await toolsInWorkspace();
  const id = String(Math.floor(Math.random() * 1e9) + 1e9);
  const controller = new AbortController();
  const call = place.call('run_command', { command: `sleep 80.${id}` }, controller.signal);
  await expect.poll(() => running(`80.${id}`)).not.toEqual([]);
  controller.abort();
  const result = await call;
  expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/cancelled/) });
  expect(running(`80.${id}`)).toEqual([]);
  expect((await place.call('run_command', { command: 'true' }, controller.signal)).text).toMatch(/was not run/);
});

test.each(['memory', 'folder'])(
  'three hundred megabytes of output take less than a hundred and twenty of memory (%s)',
  async (store) => {
    const script = fileURLToPath(new URL('./much-output.ts', import.meta.url));
    const args = ['--conditions=@holdfast/source', '--disable-warning=ExperimentalWarning', script, store];
    const { text, grown_mb } = JSON.parse(execFileSync(process.execPath, args).toString());
    expect(text.length).toBeLessThanOrEqual(10_000);
    const kept = store === 'memory' ? 8_388_608 : 67_108_864;
    expect(text).toContain(`314572804 bytes in total, only the first ${kept} kept; recall`);
    expect(text).toContain('END');
    // Most of it is buffers that wait for the collector: a gigabyte takes no more.
    expect(grown_mb).toBeLessThan(120);
  },
);

test('output stored in a folder outlives the tools and can be recalled in ranges', async () => {
  const place = await toolsInWorkspace();
  const folder = join(place.base, 'outputs');
  const first = await toolsInWorkspace({ max_output_chars: 2_000, outputs: folderOutputs(folder) });
  const { text } = await first.call('run_command', { command: 'seq 1 50000' });
  const handle = /\[output (o\d+): (\d+) bytes in total; recall/.exec(text);
  expect(handle?.[2]).toBe('288894');
  expect(text).toMatch(/^exit code 0/);
  const second = await toolsInWorkspace({ max_output_chars: 2_000, outputs: folderOutputs(folder) });
  const part = await second.call('recall', { handle: handle?.[1], offset: 100_000, length: 12 });
  expect(part.text).toMatch(/^[\d\n]{12}\n\[o1: bytes 100000 to 100012 of 288894; continue with offset 100012\]$/);
  expect((await second.call('run_command', { command: 'seq 1 50000' })).text).toContain('[output o2:');
  expect(statSync(join(folder, 'o1.txt')).mode & 0o077).toBe(0);
  for (const wrong of ['o9', '../outside/secret', 'o1/../o1', 'm3']) {
    expect(await second.call('recall', { handle: wrong })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/unknown handle/),
    });
  }
});

const SCOPE = parseScope('### Allowed\n- src/**\n### Forbidden\n- src/core.ts (read-only)\n');
const SPOIL = 'echo new > src/a.ts; echo bad > src/core.ts; rm lock.json; echo x > extra.txt; chmod 777 tool.sh';
const FILES = { 'src/a.ts': 'a', 'src/core.ts': 'core', 'lock.json': '{}', 'tool.sh': 'tool', 'kept.txt': 'kept' };

test('changes a command makes outside the scope are reported', async () => {
  const place = await toolsInWorkspace({ scope: SCOPE, revert_outside_scope: false }, FILES);
  const { text, filesChanged } = await place.call('run_command', { command: SPOIL });
  expect(text).toMatch(/\[4 files outside the task's scope changed\]/);
  expect(text).toMatch(/- src\/core.ts: .*Forbidden.*read-only.*undo that/);
  for (const path of ['lock.json', 'extra.txt', 'tool.sh'])
    expect(text).toContain(`- ${path}: ${path} is outside the task's scope`);
  expect(filesChanged).toEqual(['extra.txt', 'lock.json', 'src/a.ts', 'src/core.ts', 'tool.sh']);
  expect(place.text('src/core.ts')).toBe('bad\n');
});

test('of these, Forbidden files are restored', async () => {
  const place = await toolsInWorkspace({ scope: SCOPE }, FILES);
  const { text, filesChanged } = await place.call('run_command', { command: SPOIL });
  expect(text).toMatch(/- src\/core.ts: .*Forbidden.*it was restored/);
  expect(text).toMatch(/- extra.txt: .*undo that/);
  expect(filesChanged).toEqual(['extra.txt', 'lock.json', 'src/a.ts', 'tool.sh']);
  expect(place.text('src/core.ts')).toBe('core');
});

test('they are all restored on request', async () => {
  const place = await toolsInWorkspace({ scope: SCOPE, revert_outside_scope: true }, FILES);
  const { text, filesChanged } = await place.call('run_command', { command: SPOIL });
  expect(text.match(/it was restored/g)).toHaveLength(4);
  expect(filesChanged).toEqual(['src/a.ts']);
  expect(place.text('src/core.ts') + place.text('lock.json') + place.text('src/a.ts')).toBe('core{}new\n');
  expect(existsSync(join(place.workspace, 'extra.txt'))).toBe(false);
  expect(statSync(join(place.workspace, 'tool.sh')).mode & 0o777).toBe(0o644);
});

test('a file that could not be restored is not reported as restored', async () => {
  const place = await toolsInWorkspace({ scope: SCOPE, revert_outside_scope: true }, FILES);
  const command = 'echo x > "odd "; rm -r src; ln -s /etc src; mkdir lib; ln -s ../src lib/alias';
  const { text } = await place.call('run_command', { command });
  expect(text).toMatch(/- odd : .*it could not be restored/);
  expect(text).toMatch(/- lib\/alias: .*it was restored/);
  expect(text).toMatch(/- src\/core.ts: .*could not be restored/);
});

test('a change that restores the old timestamp is noticed', async () => {
  const place = await toolsInWorkspace({ scope: SCOPE }, FILES);
  const { text } = await place.call('run_command', {
    command: 'touch -r lock.json r; printf "[]" > lock.json; touch -r r lock.json; rm r',
  });
  expect(text).toContain('- lock.json:');
});

test('with too many files to watch, the result says so', async () => {
  const place = await toolsInWorkspace({ scope: SCOPE, max_watched_files: 2 }, FILES);
  expect((await place.call('run_command', { command: 'true' })).text).toMatch(
    /may be missing from this list: there are more than 2 files/,
  );
});

test('a command that is not allowed does not run', async () => {
  const place = await toolsInWorkspace({ allowed_commands: ['echo *'] });
  expect((await place.call('run_command', { command: 'echo hello' })).text).toContain('hello');
  const refused = await place.call('run_command', { command: 'echo hello; touch made' });
  expect(refused).toMatchObject({ isError: true, text: expect.stringMatching(/Allowed commands: .*"echo \*"/) });
  expect(existsSync(join(place.workspace, 'made'))).toBe(false);
});
