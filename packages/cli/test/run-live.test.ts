import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createStandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { HOLDFAST, project } from './project.ts';
import { openTerminal, SIZES } from './terminal.ts';

const TASK = '# TASK: Build it\n\n## Goal\nBuild it.\n\n## Definition of Done\n- [ ] `sh check.sh` passes\n';
const KEY = 'sk-ant-api03-Qz7Rk2mWv91LsdPqB4xN8tYh';
/** Prints, and waits until the test says so. */
const until = (file: string) => `until test -f ${file}; do sleep 0.05; done`;
const FILES = {
  'TASK.md': TASK,
  'build.sh': `echo "compiling part 7 of 9 with ${KEY}"\n${until('built')}\necho "error: no rule for part 8" >&2\nexit 3\n`,
  'check.sh': `echo "41 of 42 tests"\n${until('checked')}\n`,
};

/** Flags for a model that runs one command, and is done then. */
async function building(): Promise<string[]> {
  const standIn = await createStandIn({
    script: ({ results }) =>
      results.length === 0
        ? { text: 'I build it first.', calls: [{ name: 'run_command', input: { command: 'sh build.sh' } }] }
        : { calls: [{ name: 'task_complete', input: { summary: 'built' } }] },
  });
  onTestFinished(() => standIn.close());
  return ['--provider', 'anthropic-api', '--model', 'claude-sonnet-5', '--base-url', standIn.url];
}

test.each(SIZES)(
  '%i×%i: the running tool shows its newest line, a failed one its last, and so does a check',
  async (cols, rows) => {
    const place = project(FILES);
    const flags = await building();
    const env = { ...place.env, ANTHROPIC_API_KEY: KEY };
    const terminal = openTerminal({
      command: process.execPath,
      args: [...HOLDFAST, 'run', 'TASK.md', '--checks', ...flags],
      cwd: place.workspace,
      env,
      cols,
      rows,
    });
    onTestFinished(() => terminal.kill('SIGKILL'));
    const shows = (pattern: RegExp) => (screen: readonly string[]) => screen.some((row) => pattern.test(row));
    await terminal.until(shows(/│ compiling part 7 of 9 with \[key\]$/));
    const live = terminal.screen().filter((row) => row !== '');
    expect(live.some((row) => /^. run_command sh build\.sh +\d+s$/.test(row))).toBe(true);
    expect(live.slice(-2).join(' · ')).toMatch(/0 tool calls · 0 folds · cache \d+% · +\$0\.\d+/);
    expect(live.some((row) => /\/50k tokens · 1 message$/.test(row))).toBe(true);
    writeFileSync(join(place.workspace, 'built'), '');
    await terminal.until(shows(/│ 41 of 42 tests$/));
    expect(terminal.screen().some((row) => /^. checking sh check\.sh +\d+s$/.test(row))).toBe(true);
    const seen = terminal.scrollback().join('\n');
    expect(seen).toMatch(/✗ run_command +sh build\.sh {2}exit 3.*\n +error: no rule for part 8/);
    writeFileSync(join(place.workspace, 'checked'), '');
    expect(await terminal.exit).toBe(0);
    expect(terminal.raw()).not.toContain(KEY.slice(8, 24));
    expect(terminal.brokenRows()).toEqual([]);
  },
);

test('in a pipe: plain lines with the reason of a failure; --json has details only with --verbose', async () => {
  const place = project({ ...FILES, built: '', checked: '' });
  const flags = await building();
  const args = ['run', 'TASK.md', '--checks', ...flags];
  const plain = await place.holdfast(...args);
  expect(plain.stdout).toContain('  failed run_command sh build.sh (exit 3): error: no rule for part 8\n');
  const types = async (...more: string[]) => {
    const { stdout } = await place.holdfast(...args, '--json', ...more);
    const events = stdout.trim().split('\n');
    return new Set(events.map((line) => (JSON.parse(line) as { type: string }).type));
  };
  const usual = await types();
  expect(usual).toContain('validation-start');
  expect(usual).not.toContain('call-output');
  expect(await types('--verbose')).toContain('call-output');
});
