import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

/** The text of a screen, the same on a terminal and in a pipe: marks, frames and white space are not. */
function spaced(text: string): string {
  return text
    .replace(/[│|≡✓✗!]| (?:ok|failed) /g, ' ')
    .replaceAll('->', '→')
    .replace(/[()]/g, '')
    .replace(/\s+/g, ' ');
}

/** What the quick start shows of a run, without what differs from run to run: times, ids, and the state while it works. */
function pageRows(): string[] {
  const page = readFileSync(join(ROOT, 'docs/quick-start.md'), 'utf8');
  const screen = (name: string) => page.split(`<!-- screen: ${name} -->\n\`\`\`\n`)[1]?.split('```')[0] ?? '';
  const [finished = ''] = screen('live').split(/^─/m);
  const rows = [...finished.split('\n'), ...screen('end').split('\n')].filter(
    (row) => !/^[╭╰]|elapsed|TASK-/.test(row),
  );
  // A row that was cut, and the second row of one that was too long, are checked as far as they go.
  const texts = rows.map((row) => spaced(row.split('…')[0] ?? '').trim()).filter((row) => row !== '');
  expect(texts.length).toBeGreaterThan(30);
  return texts;
}

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
  expect(stderr).toMatch(/^A script plays the model/);
  const [, file = '', line = ''] = /word for word: (\S+) had "(.*)"/.exec(spaced(stdout)) ?? [];
  expect(line).not.toBe('');
  // Nothing on the disk has the line as it was.
  const now = readFileSync(join(project, file), 'utf8').split('\n');
  expect(now.filter((one) => spaced(one).includes(line)).map((one) => / \/\/ call \d+$/.test(one))).toEqual([true]);
  expect(spaced(stdout)).toMatch(
    /Still in the view: "I decided .*?" Still in the view: "Rule for the rest .*? twice\."/,
  );
  const printed = spaced(stdout);
  for (const row of pageRows()) expect(printed, 'docs/quick-start.md is out of date: npm run screens').toContain(row);
});
