import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

test('npm start: over 120 tool calls at 30 messages, without a key, and the last line sums them up', () => {
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync('npm', ['start', '--silent'], { cwd: ROOT, encoding: 'utf8', env });
  const project = /The project is in (\S+);/.exec(stderr)?.[1] ?? '';
  // Without this check, a missing match would make the cleanup delete the current folder.
  expect(project, stdout + stderr).toContain('holdfast-start-');
  onTestFinished(() => rmSync(dirname(project), { recursive: true, force: true }));
  expect(status, stderr).toBe(0);
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const [, calls, folds, saved] = /^(\d+) tool calls, (\d+) folds, cost saved \$([\d.]+)/.exec(last) ?? [];
  expect(Number(calls)).toBeGreaterThanOrEqual(120);
  expect(Number(folds)).toBeGreaterThan(3);
  expect(Number(saved)).toBeGreaterThan(0);
  const most = [...stdout.matchAll(/fold \d+: (\d+) messages -> (\d+)/g)].map((match) => Number(match[2]));
  expect(Math.max(...most)).toBeLessThanOrEqual(30);
  expect(existsSync(join(project, 'src'))).toBe(true);
  expect(readFileSync(join(project, 'TASK.md'), 'utf8')).toContain('Mark the lines');
});
