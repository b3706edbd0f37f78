import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { addCompletion } from '../src/commands/completion.ts';
import { addConfig } from '../src/commands/config.ts';
import { bashScript } from '../src/completion/bash.ts';
import { fishScript } from '../src/completion/fish.ts';
import { shapesOf } from '../src/completion/shape.ts';
import { zshScript } from '../src/completion/zsh.ts';
import { contextOf } from '../src/context.ts';
import { type AddCommand, createProgram } from '../src/program.ts';
import { folderWith, holdfast, run } from './holdfast.ts';

const PATH = process.env.PATH ?? '';

/** A command that takes a task, as `run` does, with words that shells could stumble over. */
const addTask: AddCommand = (program: Command) => {
  program
    .command('task')
    .argument('<task>', 'a task')
    .option('--note <text>', `it's [a] "note": \\ and $HOME`)
    .option('--resume', 'go on');
};

const shapes = shapesOf(createProgram(contextOf(process), [addTask, addConfig, addCompletion]));
const cwd = folderWith({
  'one.md': '',
  'two words.md': '',
  'other.yml': '',
  'tasks/deep.md': '',
  'holdfast.bash': bashScript(shapes),
  'holdfast.zsh': zshScript(shapes),
  'holdfast.fish': fishScript(shapes),
});
const PROVIDERS = ['anthropic-api', 'claude-cli', 'cursor-cli', 'gemini-api', 'openai-api', 'stand-in'];

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
  [['holdfast', 'config', '--model', ''], []],
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
