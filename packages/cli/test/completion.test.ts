import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROVIDER_TYPES } from '@holdfast/agent/config';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { addCompletion } from '../src/commands/completion.ts';
import { addConfig } from '../src/commands/config.ts';
import { bashScript } from '../src/completion/bash.ts';
import { fishScript } from '../src/completion/fish.ts';
import { shapesOf } from '../src/completion/shape.ts';
import { zshScript } from '../src/completion/zsh.ts';
import { contextOf } from '../src/context.ts';
import { type AddCommand, createProgram } from '../src/program.ts';
import { folderWith, holdfast, run } from './holdfast.ts';
import { FILES, HOLDFAST, project } from './project.ts';

const PATH = process.env.PATH ?? '';

/** A command that takes a task, as `run` does, with words that shells could stumble over. */
const addTask: AddCommand = (program: Command) => {
  program
    .command('task')
    .argument('<task>', 'a task')
    .option('--note <text>', `it's [a] "note": \\ and $HOME`)
    .option('--resume', 'go on');
};

const shapes = shapesOf(createProgram(contextOf(process), [addTask, addConfig, addCompletion]), ['model-a', 'model-b']);
const cwd = folderWith({
  'one.md': '',
  'two words.md': '',
  'other.yml': '',
  'tasks/deep.md': '',
  'holdfast.bash': bashScript(shapes),
  'holdfast.zsh': zshScript(shapes),
  'holdfast.fish': fishScript(shapes),
});
const PROVIDERS = PROVIDER_TYPES.toSorted();

async function has(shell: string): Promise<boolean> {
  return await run(shell, ['-c', 'exit 0'], { cwd, env: { PATH } }).then(
    ({ code }) => code === 0,
    () => false,
  );
}

/** What bash offers for the last of these words. */
async function inBash(words: readonly string[], script = './holdfast.bash'): Promise<string[]> {
  const text = `source ${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_holdfast
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await run('bash', ['-c', text, 'bash', ...words], { cwd, env: { PATH } });
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

test.each([
  [
    ['holdfast', ''],
    ['completion', 'config', 'help', 'task'],
  ],
  [
    ['holdfast', 'co'],
    ['completion', 'config'],
  ],
  [['holdfast', '--v'], ['--version']],
  [['holdfast', 'config', '--mo'], ['--model']],
  [['holdfast', 'config', '--provider', ''], PROVIDERS],
  [
    ['holdfast', 'config', '--provider', 'c'],
    ['claude-cli', 'cursor-cli'],
  ],
  [['holdfast', 'config', '--provider', '=', 'an'], ['anthropic-api']],
  [['holdfast', 'config', '--provider', '='], PROVIDERS],
  [
    ['holdfast', 'config', '--config', 'o'],
    ['one.md', 'other.yml'],
  ],
  [
    ['holdfast', 'config', '--model', ''],
    ['model-a', 'model-b'],
  ],
  [['holdfast', 'config', ''], []],
  [['holdfast', 'completion', 'z'], ['zsh']],
  [['holdfast', 'help', 'con'], ['config']],
  [
    ['holdfast', 'task', ''],
    ['one.md', 'tasks', 'two words.md'],
  ],
  [['holdfast', 'task', 'tasks/'], ['tasks/deep.md']],
  [['holdfast', 'task', '--re'], ['--resume']],
])('bash: %j', async (words, offered) => {
  expect(await inBash(words)).toEqual(offered);
});

test('bash completes with what the program itself prints', async () => {
  const { code, stdout, stderr } = await holdfast(['completion', 'bash'], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  writeFileSync(join(cwd, 'real.bash'), stdout);
  expect(await inBash(['holdfast', 'do'], './real.bash')).toEqual(['doctor']);
  expect(await inBash(['holdfast', 'doctor', '--provider', 'stand'], './real.bash')).toEqual(['stand-in']);
  expect(await inBash(['holdfast', 'run', 'o'], './real.bash')).toEqual(['one.md']);
  expect(await inBash(['holdfast', 'run', 'one.md', '--re'], './real.bash')).toEqual(['--report', '--resume']);
  expect(await inBash(['holdfast', 'proxy', 'st'], './real.bash')).toEqual(['status']);
  expect(await inBash(['holdfast', 'proxy', '--bud'], './real.bash')).toEqual(['--budget']);
  expect(await inBash(['holdfast', 'proxy', '--prefer', 'm'], './real.bash')).toEqual(['memory']);
  expect(await inBash(['holdfast', 'sessions', 'pr'], './real.bash')).toEqual(['prune']);
  expect(await inBash(['holdfast', 'sessions', 'prune', '--old'], './real.bash')).toEqual(['--older-than']);
});

test.skipIf(!(await has('fish')))('fish', async () => {
  const offered = async (line: string) => {
    const text = 'source ./holdfast.fish; complete -C $argv[1]';
    const { stdout, stderr } = await run('fish', ['--no-config', '-c', text, line], { cwd, env: { PATH, HOME: cwd } });
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .flatMap((one) => (one === '' ? [] : [one.split('\t')[0]]))
      .sort();
  };
  expect(await offered('holdfast co')).toEqual(['completion', 'config']);
  expect(await offered('holdfast config --provider c')).toEqual(['claude-cli', 'cursor-cli']);
  expect(await offered('holdfast config --mo')).toEqual(['--model']);
  expect(await offered('holdfast completion ')).toEqual(['bash', 'fish', 'zsh']);
  expect(await offered('holdfast task o')).toContain('one.md');
  expect(await offered('holdfast task --no')).toEqual(['--note']);
});

/** Runs zsh in a terminal of zsh's own making, presses Tab, and returns the resulting line. */
const ZSH = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -d ./dump; source ./holdfast.zsh; print READY'
local text= all=
until [[ $all == *$'\\n'READY* ]]; do zpty -r shell text || exit 3; all+=$text; done
zpty -w -n shell "$1"$'\\t'
zpty -w -n shell $'\\x01print -r -- "<'$'\\x05>"\\n'
until [[ $all == *$'\\n<'*'>'* ]]; do zpty -r shell text || exit 3; all+=$text; done
print -r -- "\${all##*$'\\n<'}"
zpty -d shell`;

test.skipIf(!(await has('zsh')))('zsh', async () => {
  const completed = async (line: string) => {
    const { stdout, stderr } = await run('zsh', ['-f', '-c', ZSH, 'zsh', line], {
      cwd,
      env: { PATH, TERM: 'dumb', HOME: cwd },
    });
    expect(stderr).toBe('');
    return stdout.split('>')[0]?.trim();
  };
  expect(await completed('holdfast conf')).toBe('holdfast config');
  expect(await completed('holdfast config --provider op')).toBe('holdfast config --provider openai-api');
  expect(await completed('holdfast config --js')).toBe('holdfast config --json');
  expect(await completed('holdfast completion f')).toBe('holdfast completion fish');
  expect(await completed('holdfast task o')).toBe('holdfast task one.md');
});

/** The program as people have it, with two sessions; returns the environment of a shell that finds it. */
async function installed(): Promise<{ readonly env: Record<string, string>; readonly run: string }> {
  const {
    workspace,
    env,
    holdfast: start,
  } = project({ ...FILES, 'holdfast.yml': 'provider: { type: stand-in, calls: 3 }\n' });
  const done = await start('run', 'TASK.md', '--json');
  expect(done.code, done.stderr).toBe(0);
  const { result } = JSON.parse(done.stdout.trim().split('\n').at(-1) ?? '');
  await start('chat', '-p', 'hello');
  const bin = folderWith({ 'holdfast.sh': `#!/bin/sh\nexec ${process.execPath} ${HOLDFAST.join(' ')} "$@"\n` });
  renameSync(join(bin, 'holdfast.sh'), join(bin, 'holdfast'));
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout } = await start('completion', shell);
    writeFileSync(join(cwd, `real.${shell}`), stdout);
  }
  expect(workspace).toBeTruthy();
  return { env: { ...env, PATH: `${bin}:${PATH}`, TERM: 'dumb' }, run: result.session };
}

describe('with the real program', () => {
  let place: Awaited<ReturnType<typeof installed>>;
  const inShell = async (shell: string, text: string, words: readonly string[]) => {
    const { stdout, stderr } = await run(shell, [...(shell === 'fish' ? ['--no-config'] : []), '-c', text, ...words], {
      cwd,
      env: place.env,
    });
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .flatMap((one) => (one === '' ? [] : [one.split('\t')[0] ?? '']))
      .sort();
  };
  const bash = (...words: string[]) =>
    inShell(
      'bash',
      `source ./real.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ['bash', 'holdfast', ...words],
    );
  const fish = (line: string) => inShell('fish', 'source ./real.fish; complete -C $argv[1]', [line]);

  test('session ids, run ids, models and providers', async ({ skip }) => {
    place = await installed();
    expect(await bash('sessions', 'show', '')).toHaveLength(2);
    expect(await bash('sessions', 'show', 'TASK')).toEqual([place.run]);
    expect(await bash('runs', 'show', '')).toEqual([place.run]);
    expect(await bash('runs', 'resume', '--json', 'TA')).toEqual([place.run]);
    // A chat cannot resume a run.
    expect(await bash('chat', '--resume', '')).toEqual([expect.not.stringContaining('TASK')]);
    expect(await bash('recall', 'TASK')).toEqual([place.run]);
    expect(await bash('chat', '--model', 'claude-son')).toContain('claude-sonnet-5');
    expect(await bash('setup', '--provider', 'gem')).toEqual(['gemini-api']);
    expect(await bash('run', 'one.md', '--report', 'o')).toEqual(['one.md', 'other.yml']);
    expect(await bash('comp')).toEqual(['completion']);
    expect(await bash('runs', 're')).toEqual(['report', 'resume']);
    if (await has('fish')) {
      expect(await fish('holdfast sessions show TASK')).toEqual([place.run]);
      expect(await fish('holdfast runs show ')).toEqual([place.run]);
      expect(await fish('holdfast chat --resume ')).toHaveLength(1);
      expect(await fish('holdfast chat --model claude-son')).toContain('claude-sonnet-5');
      expect(await fish('holdfast runs re')).toEqual(['report', 'resume']);
      expect(await fish('holdfast run o')).toContain('one.md');
    }
    if (await has('zsh')) {
      const zsh = async (line: string) => {
        const text = ZSH.replace('./holdfast.zsh', './real.zsh');
        const { stdout } = await run('zsh', ['-f', '-c', text, 'zsh', line], { cwd, env: place.env });
        return stdout.split('>')[0]?.trim();
      };
      expect(await zsh('holdfast runs show TA')).toBe(`holdfast runs show ${place.run}`);
      expect(await zsh('holdfast sessions show TA')).toBe(`holdfast sessions show ${place.run}`);
      expect(await zsh('holdfast setup --provider gem')).toBe('holdfast setup --provider gemini-api');
      expect(await zsh('holdfast sessions ver')).toBe('holdfast sessions verify');
      expect(await zsh('holdfast run on')).toBe('holdfast run one.md');
    }
    const absent = (await Promise.all(['zsh', 'fish'].map(async (one) => ((await has(one)) ? [] : [one])))).flat();
    if (absent.length > 0) skip(`not tried, because they are not installed: ${absent.join(', ')}`);
  });

  test('without a store, and with a broken one, it offers nothing and prints no error', async () => {
    place = { env: { ...(await installed()).env, HOLDFAST_HOME: folderWith() }, run: '' };
    expect(await bash('sessions', 'show', '')).toEqual([]);
    writeFileSync(join(place.env.HOLDFAST_HOME ?? '', 'sessions.db'), 'not a database');
    expect(await bash('sessions', 'show', '')).toEqual([]);
  });
});

test('each script names every command and option', () => {
  for (const name of ['holdfast.bash', 'holdfast.zsh', 'holdfast.fish']) {
    const text = readFileSync(join(cwd, name), 'utf8');
    for (const shape of shapes) {
      expect(text).toContain(shape.name);
      for (const { long } of shape.flags)
        expect(text, name).toContain(name.endsWith('fish') ? `-l ${long.slice(2)}` : long);
    }
  }
});
