import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chatServer, flagsFor } from './chat-place.ts';
import { HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, SIZES, type TestTerminal } from './terminal.ts';

const server = chatServer();
const TASK = `# TASK: Say it

## Goal
Say that it is done.

## Definition of Done
- [ ] \`sh check.sh\` passes
- [ ] somebody has read it
`;

function there(task = TASK): Project {
  server.answer('# The task', { calls: [{ name: 'task_complete', input: { summary: 'said' } }] });
  return project({ 'TASK.md': task, 'check.sh': 'touch checked\n' });
}

const isChecked = ({ workspace }: Project) => existsSync(join(workspace, 'checked'));

function onTerminal(place: Project, args: readonly string[] = [], cols = 80, rows = 24): TestTerminal {
  const terminal = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, 'run', 'TASK.md', ...flagsFor(server), ...args],
    cwd: place.workspace,
    env: place.env,
    cols,
    rows,
  });
  onTestFinished(() => terminal.kill('SIGKILL'));
  return terminal;
}

const asks = (screen: readonly string[]) => screen.some((row) => row.includes('Run them as checks?'));

test.each(SIZES)('%i×%i: commands in backticks are asked for once, and then checked', async (cols, rows) => {
  const place = there();
  const first = onTerminal(place, [], cols, rows);
  await first.until(asks);
  expect(first.screen()).toContain('TASK.md is done when these commands succeed:');
  expect(first.screen()).toContain('  sh check.sh');
  expect(first.brokenRows()).toEqual([]);
  first.write('y\r');
  expect(await first.exit).toBe(0);
  expect(first.scrollback().join('\n')).toMatch(/checks +1 of 1 passed/);
  expect(isChecked(place)).toBe(true);
  // Remembered: neither asked again on a terminal, nor needed without one.
  const second = onTerminal(place, [], cols, rows);
  expect(await second.exit).toBe(0);
  expect(second.scrollback().some((row) => row.includes('Run them as checks?'))).toBe(false);
  expect((await place.holdfast('run', 'TASK.md', ...flagsFor(server))).stdout).toMatch(/checks +1 of 1 passed/);
  expect((await place.holdfast('trust', 'list')).stdout).toContain('TASK.md (checks)');
  // Other commands are asked for again.
  place.write('TASK.md', TASK.replace('check.sh', 'other.sh'));
  const third = onTerminal(place, [], cols, rows);
  await third.until(asks);
  third.write('q\r');
  expect(await third.exit).toBe(130);
});

test('no leaves them unchecked, and the summary says so', async () => {
  const place = there();
  const terminal = onTerminal(place);
  await terminal.until(asks);
  terminal.write('n\r');
  expect(await terminal.exit).toBe(0);
  expect(terminal.scrollback().join('\n')).toMatch(/not checked +sh check\.sh/);
  expect(isChecked(place)).toBe(false);
});

test('without a terminal nothing runs unasked; --checks runs them, and a failing one is not complete', async () => {
  const place = there();
  const unasked = await place.holdfast('run', 'TASK.md', ...flagsFor(server));
  expect(unasked).toMatchObject({ code: 0 });
  expect(unasked.stdout).toContain('names "sh check.sh", and nothing runs it: pass --checks');
  expect(unasked.stdout).toMatch(/not checked +sh check\.sh/);
  expect(isChecked(place)).toBe(false);
  const asked = await place.holdfast('run', 'TASK.md', ...flagsFor(server), '--checks', '--json');
  const { result } = JSON.parse(asked.stdout.trim().split('\n').at(-1) ?? '');
  expect(result).toMatchObject({
    status: 'completed',
    unchecked: [],
    validation: [{ command: 'sh check.sh', passed: true }],
  });
  expect(isChecked(place)).toBe(true);
  place.write('check.sh', 'exit 3\n');
  place.write('holdfast.yml', 'execution: { max_iterations: 1 }\n');
  const failing = await place.holdfast('run', 'TASK.md', ...flagsFor(server), '--checks');
  expect(failing.code).toBe(4);
  expect(failing.stdout).toContain('check failed with exit code 3: sh check.sh');
});

test('a task that names no command is not checked, and the summary says so', async () => {
  const place = there('# TASK: Say it\n\n## Goal\nSay that it is done.\n');
  const { stdout } = await place.holdfast('run', 'TASK.md', ...flagsFor(server));
  expect(stdout).toMatch(/checks +not checked/);
});

test('--dry-run shows what would be checked, and runs nothing', async () => {
  const place = there();
  const { stdout } = await place.holdfast('run', 'TASK.md', ...flagsFor(server), '--dry-run');
  expect(stdout).toContain('would ask to run as checks (--checks does not ask)\n    sh check.sh\n');
  const forced = await place.holdfast('run', 'TASK.md', ...flagsFor(server), '--dry-run', '--checks');
  expect(forced.stdout).toContain('checks\n    sh check.sh\n');
  expect(isChecked(place)).toBe(false);
});
