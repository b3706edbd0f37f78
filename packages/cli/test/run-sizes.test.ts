import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { chatServer, ESC, flagsFor } from './chat-place.ts';
import { folderWith } from './holdfast.ts';
import { HOLDFAST, type Project, project } from './project.ts';
import { openTerminal, SIZES, type TestTerminal } from './terminal.ts';

const server = chatServer();
/** Foreground and background colours; bold and dim stay. */
const COLOUR = new RegExp(`${ESC}\\[(?:3|4|9)\\d*m`);
const ANY_ESCAPE = new RegExp(ESC);
const TASK = { 'TASK.md': '# TASK: Try\n\n## Goal\nTry it.\n' };
/** No program listens here. */
const AWAY = 'http://127.0.0.1:29999';

/** How each shell starts without the user's own settings, and reads its completions. */
const SHELLS = (
  [
    ['bash', { args: ['--norc', '--noprofile'], prompt: '% ', init: '. <(holdfast completion bash)' }],
    [
      'zsh',
      {
        args: ['-f', '-i'],
        prompt: '%% ',
        init: 'autoload -Uz compinit; compinit -u -d ./dump; source <(holdfast completion zsh)',
      },
    ],
    [
      'fish',
      {
        args: ['--no-config'],
        prompt: '',
        init: 'function fish_prompt; printf "%% "; end; set fish_autosuggestion_enabled 0; holdfast completion fish | source',
      },
    ],
  ] as const
).filter(([name]) => spawnSync(name, ['-c', 'exit 0']).status === 0);

/** All rows as one text, without frames and the places where they were wrapped. */
const flat = (terminal: TestTerminal) =>
  terminal
    .scrollback()
    .map((row) => row.replace(/^│ | +│$/g, ''))
    .join(' ')
    .replace(/\s+/g, ' ');

/** Rows that the terminal broke, other than long words and the command that continues a run: those stay whole, to be copied. */
const brokenProse = (terminal: TestTerminal) =>
  terminal.brokenRows().filter((row) => row.includes(' ') && !row.includes(' --base-url '));

describe.each(SIZES)('%i×%i', (cols, rows) => {
  const open: TestTerminal[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.kill('SIGKILL');
  });
  const start = ({ workspace: cwd, env }: Project, ...args: readonly string[]) => {
    const terminal = openTerminal({ command: process.execPath, args: [...HOLDFAST, ...args], cwd, env, cols, rows });
    open.push(terminal);
    return terminal;
  };

  test('run --report, runs resume and runs report; without a command to check, it says "not checked"', async () => {
    server.answer('# The task', { calls: [{ name: 'task_blocked', input: { reason: 'a key is missing' } }] });
    server.answer('Iteration 2', { calls: [{ name: 'task_complete', input: { summary: 'tried' } }] });
    const place = project(TASK);
    const page = () => readFileSync(join(place.workspace, 'report.html'), 'utf8');
    const blocked = start(place, 'run', 'TASK.md', '--report', 'report.html', ...flagsFor(server));
    expect(await blocked.exit).toBe(3);
    expect(flat(blocked)).toContain('a key is missing');
    expect(flat(blocked)).toContain('wrote ');
    expect(page()).toContain('a key is missing');
    expect(page()).not.toContain('tried');
    const resumed = start(place, 'runs', 'resume');
    expect(await resumed.exit).toBe(0);
    expect(resumed.scrollback().join('\n')).toMatch(/checks +not checked/);
    const report = start(place, 'runs', 'report', '-o', 'later.html');
    expect(await report.exit).toBe(0);
    expect(readFileSync(join(place.workspace, 'later.html'), 'utf8')).toContain('tried');
    for (const terminal of [blocked, resumed, report]) expect(brokenProse(terminal)).toEqual([]);
  });

  test.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('run with %o has no colours, and fits', async (more) => {
    server.answer('# The task', { calls: [{ name: 'task_blocked', input: { reason: 'a key is missing' } }] });
    const place = project(TASK);
    const run = start({ ...place, env: { ...place.env, ...more } }, 'run', 'TASK.md', ...flagsFor(server));
    expect(await run.exit).toBe(3);
    expect(flat(run)).toContain('a key is missing');
    expect(run.raw()).not.toMatch('TERM' in more ? ANY_ESCAPE : COLOUR);
    expect(brokenProse(run)).toEqual([]);
  });

  test('giving up comes with advice, in the same words in chat and run', async () => {
    const place = project(TASK);
    const flags = [...flagsFor(server), '--model', 'claude-none-1'];
    const chat = start(place, 'chat', 'hello', ...flags);
    await chat.until((screen) => screen.join(' ').includes('--base-url.') && screen.some((row) => row.startsWith('>')));
    const [words] =
      /the request was rejected: [^.]*claude-none-1 at http:\S+\. Check --model and --base-url\./.exec(flat(chat)) ??
      [];
    expect(words).toBeDefined();
    const run = start(place, 'run', 'TASK.md', ...flags);
    expect(await run.exit).toBe(1);
    expect(flat(run)).toContain(words);
    for (const terminal of [chat, run]) expect(brokenProse(terminal)).toEqual([]);
  });

  test('doctor says how to fix what it finds', async () => {
    const place = project(TASK);
    delete place.env.ANTHROPIC_API_KEY;
    const doctor = start(place, 'doctor', '--provider', 'anthropic-api', '--base-url', AWAY);
    expect(await doctor.exit).toBe(1);
    expect(doctor.scrollback().join('\n')).toMatch(/^problem +key: /m);
    expect(flat(doctor)).toContain('export ANTHROPIC_API_KEY=');
    expect(doctor.scrollback().join('\n')).toContain('provider.base_url');
    expect(brokenProse(doctor)).toEqual([]);
  });

  test.each(SHELLS)(
    '%s completes what is typed: commands, options, ids, models, providers, files',
    async (name, shell) => {
      const place = project(TASK);
      await place.holdfast('chat', '-p', 'hello', '--provider', 'stand-in');
      const { sessions } = JSON.parse((await place.holdfast('sessions', 'list', '--json')).stdout);
      const bin = folderWith({ holdfast: `#!/bin/sh\nexec '${process.execPath}' ${HOLDFAST.join(' ')} "$@"\n` });
      chmodSync(join(bin, 'holdfast'), 0o755);
      const terminal = openTerminal({
        command: name,
        args: shell.args,
        cwd: place.workspace,
        env: { ...place.env, HOME: bin, PS1: shell.prompt, PATH: `${bin}:${process.env.PATH}` },
        cols,
        rows,
      });
      open.push(terminal);
      const shows = (row: string) => terminal.until((screen) => screen.some((one) => one.trimEnd() === row));
      terminal.write(`${shell.init}; clear; echo ready\r`);
      await shows('ready');
      // Before its prompt, a shell would echo the keys as they are.
      await shows('%');
      for (const [typed, completed] of [
        ['doc', 'doctor'],
        ['chat --cont', 'chat --continue'],
        ['chat --provider gem', 'chat --provider gemini-api'],
        ['chat --model claude-haiku-5', 'chat --model claude-haiku-5-5'],
        [`chat --resume ${sessions[0].id.slice(0, 6)}`, `chat --resume ${sessions[0].id}`],
        ['run TA', 'run TASK.md'],
      ]) {
        terminal.write(`holdfast ${typed}\t`);
        await shows(`% holdfast ${completed}`);
        terminal.write('\u0015');
        await shows('%');
      }
    },
  );
});
