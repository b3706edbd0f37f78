import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { run } from './holdfast.ts';
import { FILES, HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, SIZES, type TestTerminal } from './terminal.ts';

const CONFIG = `provider: { type: stand-in, calls: 30, edits: true }
execution:
  conversation: { max_messages: 20, preserve_last_n: 8 }
`;

/** A project with one complete run, and one that its budget stopped. */
async function withRuns(): Promise<Project & { readonly stopped: string; readonly done: string }> {
  const place = project({
    ...FILES,
    'holdfast.yml': CONFIG,
    'OTHER.md': FILES['TASK.md']?.replace('Tidy', 'Sort') ?? '',
  });
  const end = async (task: string) => {
    const { stdout } = await place.holdfast('run', task, '--json');
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '').result;
  };
  const done = await end('TASK.md');
  expect(done.status).toBe('completed');
  place.write('holdfast.yml', `${CONFIG}  max_cost: 0.02\n`);
  const stopped = await end('OTHER.md');
  expect(stopped.status).toBe('stopped');
  place.write('holdfast.yml', CONFIG);
  return { ...place, done: done.session, stopped: stopped.session };
}

function onTerminal(
  { workspace, env }: Project,
  args: readonly string[],
  cols: number,
  rows: number,
  more = {},
): TestTerminal {
  const all = { ...env, ...more };
  const terminal = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, ...args],
    cwd: workspace,
    env: all,
    cols,
    rows,
  });
  onTestFinished(() => terminal.kill('SIGKILL'));
  return terminal;
}

test('list, show and resume runs, on terminals of any size and in a pipe', async () => {
  const place = await withRuns();
  for (const [cols, rows] of SIZES) {
    const list = onTerminal(place, ['runs', 'list'], cols, rows);
    expect(await list.exit).toBe(0);
    const [head, ...lines] = list.scrollback().filter((row) => row !== '');
    expect(head).toMatch(/^id +status +last used .*title$/);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(new RegExp(`^${place.stopped} +stopped +now .*Sort`));
    expect(lines[1]).toMatch(new RegExp(`^${place.done} +completed +now .*Tidy`));
    expect(list.brokenRows()).toEqual([]);
    const show = onTerminal(place, ['runs', 'show', place.stopped.slice(0, 8)], cols, rows);
    expect(await show.exit).toBe(0);
    const seen = show.scrollback().join('\n');
    expect(seen).toMatch(/status +stopped/);
    expect(seen).toMatch(/[✓✗≡] /);
    expect(seen.replaceAll(/\s+/g, ' ')).toContain('execution.max_cost');
    expect(seen).toContain(`To continue: holdfast runs resume ${place.stopped}`);
  }
  const json = JSON.parse((await place.holdfast('runs', 'list', '--json')).stdout);
  expect(json.runs).toMatchObject([
    { id: place.stopped, status: 'stopped' },
    { id: place.done, status: 'completed' },
  ]);
  const plain = await place.holdfast('runs', 'show', place.done);
  expect(plain.stdout).not.toContain('\u001b');
  expect(plain.stdout).toMatch(/task +\/.*TASK\.md/);
  // Without an id: the unfinished one of this folder.
  const resumed = await place.holdfast('runs', 'resume', '--json');
  expect(resumed.code, resumed.stderr).toBe(0);
  const { result } = JSON.parse(resumed.stdout.trim().split('\n').at(-1) ?? '');
  expect(result).toMatchObject({ session: place.stopped, status: 'completed' });
  expect((await place.holdfast('runs', 'show', place.stopped)).stdout).not.toContain('execution.max_cost');
  const none = await place.holdfast('runs', 'resume');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is unfinished')]);
});

test('a run is resumed by its id from any folder, and a wrong id or a missing task says what to do', async () => {
  const place = await withRuns();
  const elsewhere = project({ 'README.md': '' });
  const from = (...args: string[]) =>
    run(process.execPath, [...HOLDFAST, ...args], { cwd: elsewhere.workspace, env: place.env });
  const unknown = await from('runs', 'show', 'nothing', '--json');
  const error = 'unknown run nothing: see `holdfast runs list`';
  expect([unknown.code, unknown.stderr]).toEqual([1, `holdfast: ${error}\n`]);
  expect(JSON.parse(unknown.stdout)).toEqual({ type: 'error', error, exitCode: 1 });
  const resumed = await from('runs', 'resume', place.stopped);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain(`in ${place.workspace}`);
  rmSync(`${place.workspace}/OTHER.md`);
  const gone = await from('runs', 'resume', place.stopped);
  expect([gone.code, gone.stderr]).toEqual([2, expect.stringContaining('is gone')]);
});

test('no runs, no colours and a dumb terminal', async () => {
  const empty = project();
  expect((await empty.holdfast('runs', 'list')).stdout).toBe('No runs yet: `holdfast run TASK.md` starts one.\n');
  const place = await withRuns();
  for (const more of [{ NO_COLOR: '1' }, { TERM: 'dumb' }])
    for (const args of [['runs', 'list'], ['runs', 'show', place.done], ['sessions', 'list'], ['doctor']]) {
      const terminal = onTerminal(place, args, 60, 20, more);
      await terminal.exit;
      expect(terminal.raw(), args.join(' ')).not.toContain('\u001b[');
    }
});

test('--report is checked before the run, and written at its end even if the run stops', async () => {
  const place = project({ ...FILES, 'holdfast.yml': `${CONFIG}  max_cost: 0.02\n` });
  const wrong = await place.holdfast('run', 'TASK.md', '--report', 'no/such/folder.html');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('does not exist')]);
  expect((await place.holdfast('runs', 'list')).stdout).toContain('No runs yet');
  const stopped = await place.holdfast('run', 'TASK.md', '--report', 'report.html');
  expect(stopped.code).toBe(4);
  expect(stopped.stderr).toContain('report.html');
  expect(readFileSync(join(place.workspace, 'report.html'), 'utf8')).toMatch(
    /<p class="warn">[^<]*execution\.max_cost/,
  );
});

test('a run that stops between two iterations does not count or show the one it never began', async () => {
  const config = `${CONFIG}  max_consecutive_failures: 2\nvalidation: { commands: [test -f none] }\n`;
  const place = project({ ...FILES, 'holdfast.yml': config });
  const stopped = await place.holdfast('run', 'TASK.md', '--report', 'report.html');
  expect(stopped.code).toBe(4);
  const begun = stopped.stdout.match(/Iteration \d+/g)?.length;
  const count = new RegExp(`iterations +${begun}\\b`);
  expect(stopped.stdout).toMatch(count);
  const shown = (await place.holdfast('runs', 'show')).stdout;
  expect(shown).toMatch(count);
  expect(shown.match(/^Iteration \d+$/gm)?.at(-1)).toBe(`Iteration ${begun}`);
  const report = readFileSync(join(place.workspace, 'report.html'), 'utf8');
  expect(report).toContain(`<dt>iterations</dt><dd>${begun}</dd>`);
  expect(report).not.toContain(`Iteration ${Number(begun) + 1}<`);
  await place.holdfast('runs', 'resume');
  await place.holdfast('runs', 'report', '--output', 'resumed.html');
  const resumed = readFileSync(join(place.workspace, 'resumed.html'), 'utf8');
  expect(resumed.indexOf('stopped</li>')).toBeLessThan(resumed.indexOf(`Iteration ${Number(begun) + 1}<`));
});
