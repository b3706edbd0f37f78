import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codingTask, createStandIn } from '@holdfast/stand-in';
import { expect, onTestFinished, test } from 'vitest';
import { run } from './holdfast.ts';
import { FILES, HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, SIZES, type TestTerminal } from './terminal.ts';

const CONFIG = `provider:
  type: stand-in
  calls: 60
  edits: true
execution:
  conversation: { max_messages: 20, preserve_last_n: 8 }
validation:
  commands: [test -d src]
`;

function started({ workspace, env }: Project, size: { cols: number; rows: number }, ...args: string[]): TestTerminal {
  const terminal = openTerminal({
    command: process.execPath,
    args: [...HOLDFAST, 'run', 'TASK.md', ...args],
    cwd: workspace,
    env,
    ...size,
  });
  onTestFinished(() => terminal.kill());
  return terminal;
}

/** The script of a long task behind an API; it can hold its answers, so that a run is still at work when a test stops it. */
async function heldModel(there: Project) {
  const task = codingTask(there.workspace, { calls: 60, edits: true });
  let left = Number.POSITIVE_INFINITY;
  let release = () => {};
  let released = Promise.resolve();
  let isHolding = () => {};
  const standIn = await createStandIn({
    script: async (prompt) => {
      if (left-- <= 0) {
        isHolding();
        await released;
      }
      return task(prompt);
    },
  });
  onTestFinished(() => standIn.close());
  const provider = `{ type: anthropic-api, model: claude-sonnet-5, base_url: ${standIn.url} }`;
  there.write('holdfast.yml', CONFIG.replace(/provider:[\s\S]*?(?=execution:)/, `provider: ${provider}\n`));
  return {
    /** Answers this many more requests, and no others before `release`; resolves when one waits. */
    hold(more = 0): Promise<void> {
      left = more;
      released = new Promise((resolve) => {
        release = resolve;
      });
      return new Promise((resolve) => {
        isHolding = resolve;
      });
    },
    release(): void {
      left = Number.POSITIVE_INFINITY;
      release();
    },
  };
}

const shows = (text: string | RegExp) => (screen: readonly string[]) =>
  screen.some((row) => (typeof text === 'string' ? row.includes(text) : text.test(row)));

/** What a run that ended well leaves on a terminal. */
function checkEnd(terminal: TestTerminal, cols: number): void {
  const rows = terminal.scrollback();
  expect(terminal.cursorVisible()).toBe(true);
  expect(terminal.alternateScreen()).toBe(false);
  expect(terminal.brokenRows()).toEqual([]);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(cols);
  // The live part is gone; the box is there once.
  expect(rows.filter((row) => /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/.test(row))).toEqual([]);
  expect(rows.filter((row) => row.startsWith('╭─'))).toHaveLength(1);
}

test.each(SIZES)('a whole run in a terminal of %i×%i', async (cols, rows) => {
  const there = project();
  const model = await heldModel(there);
  model.hold();
  const terminal = started(there, { cols, rows });
  // A gauge with the sign of an estimate, before the first answer has said how much it was.
  await terminal.until(shows(/\d+\/20 messages · ~\d/));
  model.release();
  await terminal.until(shows(/✓ edit_file/));
  await terminal.until(shows(/≡ fold \d+: \d+ messages → \d+/));
  // On a small terminal in two rows.
  const figures = /\d+ tool calls · \d+ folds? · cache \d+%[\s·]+\$[\d.]+, sending everything \$[\d.]+/;
  await terminal.until((screen) => figures.test(screen.join(' ')));
  expect(await terminal.exit).toBe(0);
  checkEnd(terminal, cols);
  const text = terminal.scrollback().join('\n');
  expect(text).toContain('Conversation approaching limit (');
  expect(text).toMatch(/61 tool calls, \d+ folds, cost saved \$/);
});

test('after resizing, Ctrl-C and resuming, the screen is clean and nothing runs twice', async () => {
  const there = project();
  const model = await heldModel(there);
  const terminal = started(there, { cols: 80, rows: 24 });
  await terminal.until(shows(/≡ fold 1:/));
  await terminal.resize(120, 40);
  await terminal.until(shows(/≡ fold 2:/));
  const waits = model.hold();
  await terminal.resize(60, 20);
  await terminal.until(shows(/✓/));
  await waits;
  terminal.write('\u0003');
  // It may be gone before anybody looks.
  await terminal.until(() => terminal.raw().includes('Stopping after the current step'));
  model.release();
  expect(await terminal.exit).toBe(130);
  expect(terminal.cursorVisible()).toBe(true);
  const rows = terminal.scrollback();
  expect(rows.some((row) => row.includes('cancelled'))).toBe(true);
  expect(rows.some((row) => row.includes('holdfast run TASK.md --resume'))).toBe(true);
  const again = started(there, { cols: 80, rows: 24 }, '--resume');
  expect(await again.exit).toBe(0);
  checkEnd(again, 80);
  expect(again.scrollback().join('\n')).toMatch(/61 tool calls/);
  // One edit for each mark, none twice: `// call 7 // call 7` would be an edit of an edit.
  for (const name of readdirSync(join(there.workspace, 'src')))
    expect(readFileSync(join(there.workspace, 'src', name), 'utf8')).not.toMatch(/\/\/ call \d+ \/\/ call/);
});

test('a second Ctrl-C ends a hanging tool', async () => {
  const there = project();
  const standIn = await createStandIn({
    script: ({ results }) =>
      results.length > 0 ? { text: 'No.' } : { calls: [{ name: 'run_command', input: { command: 'sleep 100' } }] },
  });
  onTestFinished(() => standIn.close());
  there.write('holdfast.yml', `provider: { type: anthropic-api, model: claude-sonnet-5, base_url: ${standIn.url} }\n`);
  const terminal = started(there, { cols: 80, rows: 24 });
  await terminal.until(shows('sleep 100'));
  terminal.write('\u0003');
  await terminal.until(shows('Stopping after the current step'));
  terminal.write('\u0003');
  expect(await terminal.exit).toBe(130);
  expect(terminal.cursorVisible()).toBe(true);
});

test('piped: plain lines; --json: one object per line, the result last; --verbose: also trims', async () => {
  const there = project({ ...FILES, 'holdfast.yml': CONFIG });
  const plain = await there.holdfast('run', 'TASK.md', '--verbose');
  expect(plain.code, plain.stderr).toBe(0);
  expect(plain.stdout).not.toContain('\u001b');
  expect(plain.stdout).toMatch(/^Conversation: \d+ messages \(~\d+ tokens\)$/m);
  expect(plain.stdout).toMatch(/^Conversation approaching limit \(\d+\/20 messages\)$/m);
  expect(plain.stdout).toMatch(/Trimmed conversation: \d+ messages removed, \d+ kept \(~\d+ tokens\)/);
  expect(plain.stderr).toContain('The stand-in is a script; the costs shown are not billed');
  const [details = '', totals] = plain.stdout.trimEnd().split('\n').slice(-2);
  expect(totals).toMatch(/^62 tool calls, \d+ folds, cost saved \$/);
  const [, id = ''] = /^Details: holdfast runs show (\S+)$/.exec(details) ?? [];
  expect((await there.holdfast('runs', 'show', id)).code).toBe(0);
  for (const [path, text] of Object.entries(FILES)) there.write(path, text);
  const json = await there.holdfast('run', 'TASK.md', '--json');
  const events = json.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.at(-1)).toMatchObject({ type: 'run-end', result: { status: 'completed', calls: 62 } });
  expect(events.filter(({ type }) => type === 'call-end')).toHaveLength(62);
  expect(events.find(({ type }) => type === 'reminder-add')).toMatchObject({
    about: [expect.stringMatching(/\.\w+$/)],
    handles: [expect.stringMatching(/^m\d/)],
  });
  expect(plain.stdout).toMatch(/^ {2}reminder: lines of \S+ (?:and \d+ more )?\(m\d\S*\), ~\d\S* tokens$/m);
  const { sessions } = JSON.parse((await there.holdfast('sessions', 'list', '--json')).stdout);
  expect(sessions).toMatchObject([
    { id: expect.stringMatching(/^TASK-[0-9a-f]{8}-2$/), kind: 'run', title: expect.any(String), provider: 'stand-in' },
    { id: expect.stringMatching(/^TASK-[0-9a-f]{8}-1$/), kind: 'run' },
  ]);
  expect((await there.holdfast('sessions', 'verify')).code).toBe(0);
});

test('errors are one line with the documented exit code, and leave nothing behind', async () => {
  const there = project({ ...FILES, 'empty.md': ' \n', 'binary.md': 'a\0b' });
  const wrong = async (code: number, said: string | RegExp, ...args: string[]) => {
    const ended = await there.holdfast(...args);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(said)]);
    expect(ended.stderr).toMatch(/^holdfast: /);
    expect(ended.stderr).not.toContain('    at ');
  };
  await wrong(2, 'missing required argument', 'run');
  await wrong(2, /^holdfast: nothing\.md does not exist: pass the path/, 'run', 'nothing.md');
  await wrong(2, 'src is a folder', 'run', 'src');
  await wrong(2, 'empty.md is empty', 'run', 'empty.md');
  await wrong(2, 'binary.md is not a text file', 'run', 'binary.md');
  await wrong(2, 'there is no run of TASK.md to resume', 'run', 'TASK.md', '--resume');
  await wrong(2, /unknown option '--resum'.*--resume/s, 'run', 'TASK.md', '--resum');
  await wrong(2, 'anthropic-api', 'run', 'TASK.md', '--provider', 'antropic-api');
  await wrong(
    2,
    'the stand-in has no model gpt-6-sol',
    'run',
    'TASK.md',
    '--provider',
    'stand-in',
    '--model',
    'gpt-6-sol',
  );
  const { stdout } = await there.holdfast('run', 'nothing.md', '--json');
  const error = 'nothing.md does not exist: pass the path of a markdown task file';
  expect(JSON.parse(stdout)).toEqual({ type: 'error', error, exitCode: 2 });
  expect(existsSync(join(there.home, 'runs'))).toBe(false);
});

test('the exit code of an incomplete run says why: blocked, out of budget, failed', async () => {
  const there = project();
  const standIn = await createStandIn({
    script: ({ results }) =>
      results.length > 0
        ? { text: 'I wait.' }
        : { calls: [{ name: 'task_blocked', input: { reason: 'no access to the mail server' } }] },
  });
  onTestFinished(() => standIn.close());
  const config = `provider: { type: anthropic-api, model: claude-sonnet-5, base_url: ${standIn.url} }\n`;
  there.write('holdfast.yml', config);
  const blocked = await there.holdfast('run', 'TASK.md');
  expect([blocked.code, blocked.stdout]).toEqual([3, expect.stringContaining('no access to the mail server')]);
  there.write('holdfast.yml', 'provider: { type: stand-in, calls: 50 }\nexecution: { max_cost: 0.01 }\n');
  const stopped = await there.holdfast('run', 'TASK.md');
  expect([stopped.code, stopped.stdout]).toEqual([4, expect.stringContaining('execution.max_cost')]);
  expect(stopped.stderr).toContain('an earlier run of TASK.md did not finish');
  Object.assign(there.env, { OPENAI_API_KEY: 'sk-not-a-key' });
  const other = await there.holdfast('run', 'TASK.md', '--resume', '--provider', 'openai-api');
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('started with stand-in')]);
  there.write('holdfast.yml', config);
  Object.assign(there.env, { ANTHROPIC_API_KEY: '' });
  const failed = await there.holdfast('run', 'TASK.md');
  expect([failed.code, failed.stderr]).toEqual([
    2,
    expect.stringMatching(/ANTHROPIC_API_KEY is not set: run `holdfast setup/),
  ]);
});

test('--max-cost stops a run, overrides the configuration, and may be raised on --resume', async () => {
  const there = project({
    ...FILES,
    'holdfast.yml': 'provider: { type: stand-in, calls: 12 }\nexecution: { max_cost: 0 }\n',
  });
  const wrong = await there.holdfast('run', 'TASK.md', '--max-cost', 'much');
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('--max-cost: the value is "much": expected an amount in dollars'),
  ]);
  const plan = await there.holdfast('run', 'TASK.md', '--max-cost', '0.02', '--dry-run');
  expect(plan.stdout).toContain('0.02 dollars (cost)');
  const stopped = await there.holdfast('run', 'TASK.md', '--max-cost', '0.02');
  expect([stopped.code, stopped.stdout]).toEqual([4, expect.stringContaining('of $0.02 is spent')]);
  const done = await there.holdfast('run', 'TASK.md', '--resume', '--max-cost', '5');
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('all 12 calls were answered')]);
});

test('--dry-run shows what would be sent, asks nothing and writes nothing', async () => {
  const there = project({ ...FILES, 'holdfast.yml': CONFIG, '.ai/skills/css/SKILL.md': 'Know CSS.' });
  writeFileSync(join(there.workspace, 'TASK.md'), `${FILES['TASK.md']}- lib/types.ts (read for types)\n`);
  const { code, stdout } = await there.holdfast('run', 'TASK.md', '--dry-run');
  expect(code).toBe(0);
  for (const text of [
    'Tidy the sources',
    'rules AGENTS.md',
    'skill .ai/skills/css/SKILL.md',
    '\nmay write\n    src/**\nmay only read\n    lib/types.ts (read for types)\n',
    'test -d src',
    '\nconversation  folds above 20 messages or 50000 tokens (the default at the prices of claude-sonnet-5), or earlier; strategy: fold\n    max_messages 20\n',
  ])
    expect(stdout).toContain(text);
  expect(existsSync(there.home)).toBe(false);
  const json = JSON.parse((await there.holdfast('run', 'TASK.md', '--dry-run', '--json')).stdout);
  expect(json).toMatchObject({ provider: 'stand-in', budgets: { max_iterations: 50 }, validation: ['test -d src'] });
  expect(json).toMatchObject({ window: { max_messages: 20 }, scope: { allowed: ['src/**'] } });
  rmSync(join(there.workspace, 'AGENTS.md'));
  writeFileSync(join(there.workspace, 'TASK.md'), 'Just do it.');
  expect((await there.holdfast('run', 'TASK.md', '--dry-run')).stderr).toContain('TASK.md has no "## Goal"');
});

test('a closed pipe, SIGTERM or a closed terminal cancels the run, which can be resumed', async () => {
  const there = project();
  const model = await heldModel(there);
  const holdfast = [process.execPath, ...HOLDFAST, 'run', 'TASK.md'].join(' ');
  const shell = (script: string) => run('bash', ['-c', script], { cwd: there.workspace, env: there.env });
  const piped = await shell(`${holdfast} | head -5; echo "code \${PIPESTATUS[0]}"`);
  expect(piped.stdout).toMatch(/code 130$/m);
  model.hold(3);
  const ended = await shell(
    `${holdfast} --resume > out.txt & until grep -q 'ok ' out.txt; do sleep 0.05; done; kill -TERM $!; wait $!; echo "code $?"`,
  );
  expect(ended.stdout).toMatch(/code 130$/m);
  model.hold(3);
  const terminal = started(there, { cols: 80, rows: 24 }, '--resume');
  await terminal.until(shows(/✓/));
  process.kill(terminal.pid, 'SIGHUP');
  expect(await terminal.exit).toBe(130);
  model.release();
  const last = await there.holdfast('run', 'TASK.md', '--resume');
  expect([last.code, last.stdout]).toEqual([0, expect.stringMatching(/61 tool calls/)]);
  expect(last.stderr).not.toContain('is complete');
  const more = await there.holdfast('run', 'TASK.md', '--resume');
  expect(more.stderr).toContain('the last run of TASK.md is complete; this is its result');
});

test('warns once about a key without effect, with its line', async () => {
  const config = CONFIG.replace('60', '3').replace('max_messages: 20', 'tier_thresholds: [10, 20]');
  const there = project({ ...FILES, 'holdfast.yml': config });
  const { code, stdout, stderr } = await there.holdfast('run', 'TASK.md');
  expect(code).toBe(0);
  expect(stderr).toMatch(/warning: holdfast\.yml:\d+:\d+: execution\.conversation\.tier_thresholds has no effect/);
  expect(stdout).not.toContain('tier_thresholds');
});

test('under nohup, a run survives its terminal', async () => {
  const there = project({ ...FILES, 'holdfast.yml': CONFIG });
  const holdfast = [process.execPath, ...HOLDFAST, 'run', 'TASK.md'].join(' ');
  const script = `nohup ${holdfast} > out.txt 2>&1 & until grep -q 'ok ' out.txt; do sleep 0.05; done; kill -HUP $!; wait $!; echo "code $?"`;
  const ended = await run('bash', ['-c', script], { cwd: there.workspace, env: there.env });
  expect(ended.stdout).toMatch(/code 0$/m);
});

test('only one process works on a task; the second names it', async () => {
  const there = project({ ...FILES, 'holdfast.yml': CONFIG });
  const [one, two] = await Promise.all([there.holdfast('run', 'TASK.md'), there.holdfast('run', 'TASK.md')]);
  const [done, refused] = one.code === 0 ? [one, two] : [two, one];
  expect([done.code, refused.code]).toEqual([0, 1]);
  expect(refused.stderr).toMatch(/process \d+ works on this task: wait for it/);
  const { sessions } = JSON.parse((await there.holdfast('sessions', 'list', '--json')).stdout);
  expect(sessions).toHaveLength(1);
});

test('refuses a state folder that cannot be created or is inside the workspace', async () => {
  const there = project({ ...FILES, 'holdfast.yml': CONFIG });
  for (const [home, said] of [
    ['/proc/nothing/here', 'cannot create'],
    ['./..state', 'is in the workspace'],
  ] as const) {
    Object.assign(there.env, { HOLDFAST_HOME: home });
    const ended = await there.holdfast('run', 'TASK.md');
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringContaining(said)]);
  }
});

const canMount = process.getuid?.() === 0 && process.platform === 'linux';

test.skipIf(!canMount)(
  'a full disk ends a run with advice, and it resumes once there is room (needs root, to mount a small disk)',
  async (context) => {
    const there = project({ ...FILES, 'holdfast.yml': CONFIG });
    mkdirSync(there.home);
    const mounted = await run('mount', ['-t', 'tmpfs', '-o', 'size=300k', 'tmpfs', there.home], {
      cwd: '/',
      env: there.env,
    });
    if (mounted.code !== 0) return context.skip('no disk can be mounted here');
    try {
      const full = await there.holdfast('run', 'TASK.md', '--json');
      expect(full.code).toBe(1);
      const last = JSON.parse(full.stdout.trimEnd().split('\n').at(-1) ?? '');
      expect(last).toMatchObject({
        type: 'run-end',
        result: {
          status: 'failed',
          reason: expect.stringMatching(/could not be written \(.*full.*make room .*and resume/),
        },
      });
      await run('mount', ['-o', 'remount,size=20m', there.home], { cwd: '/', env: there.env });
      const again = await there.holdfast('run', 'TASK.md', '--resume');
      expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/62 tool calls/)]);
    } finally {
      await run('umount', [there.home], { cwd: '/', env: there.env });
    }
  },
);
