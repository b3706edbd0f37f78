import type { Command } from 'commander';
import { expect, onTestFinished, test } from 'vitest';
import { contextOf } from '../src/context.ts';
import { createProgram } from '../src/program.ts';
import { columnsOf } from '../src/view/text.ts';
import { folderWith } from './holdfast.ts';
import { HOLDFAST } from './project.ts';
import { openTerminal, SIZES } from './terminal.ts';

function all(command: Command): Command[] {
  return [command, ...command.commands.flatMap(all)];
}

test.each([40, 60, 80, 120, 200])('the help of every command fits %i columns, and no word is broken', (columns) => {
  let text = '';
  const print = (more: string) => {
    text += `${more}\n`;
  };
  const program = createProgram({ ...contextOf(process), columns, print });
  const wide = createProgram({ ...contextOf(process), columns: 10_000, print });
  const words = () => text.split(/[\s\\]+/).filter((word) => word !== '');
  for (const [at, command] of all(program).entries()) {
    text = '';
    all(wide)[at]?.outputHelp();
    const known = new Set(words());
    text = '';
    command.outputHelp();
    for (const line of text.split('\n'))
      if (columnsOf(line) > columns) expect(line.trim(), command.name()).not.toContain(' ');
    for (const word of words()) expect(known, command.name()).toContain(word);
  }
});

test.each(SIZES)('%i×%i: a terminal breaks no row of the help', async (cols, rows) => {
  const cwd = folderWith();
  for (const args of [['--help'], ['run', '--help'], ['runs', 'report', '--help'], ['setup', '--help'], ['crew']]) {
    const terminal = openTerminal({ command: process.execPath, args: [...HOLDFAST, ...args], cwd, cols, rows });
    onTestFinished(() => terminal.kill('SIGKILL'));
    // A command that lacks a subcommand prints its help as an error.
    expect(await terminal.exit).toBe(args.includes('--help') ? 0 : 2);
    expect(terminal.scrollback().join('\n')).toContain(args.includes('--help') ? 'Examples:' : 'Commands:');
    expect(terminal.brokenRows()).toEqual([]);
  }
});
