import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commentedConfig } from '@holdfast/agent/config';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';

const NAME = 'holdfast.yml';

/** `holdfast init`: writes a commented configuration, and never over one that is there, unless told to. */
export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description(`write a commented ${NAME} here`)
    .option('-f, --force', `write over a ${NAME} that is there`)
    .option('--stdout', 'print it instead')
    .addHelpText(
      'after',
      `
Examples:
  holdfast init
  holdfast init --stdout > other.yml`,
    )
    .action(({ force = false, stdout = false }: { readonly force?: boolean; readonly stdout?: boolean }) => {
      if (stdout) context.print(commentedConfig());
      else writeNew(context, force);
    });
}

function writeNew(context: Context, force: boolean): void {
  const file = join(context.cwd, NAME);
  try {
    // One step for looking and writing: nobody's file can come in between.
    writeFileSync(file, commentedConfig(), { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new WrongUse(`${NAME} is already there: --force writes over it`, error);
    throw new WrongUse(`${file} cannot be written (${code}): change its permissions, or print it with --stdout`, error);
  }
  context.print(`${NAME} is written. Next: \`holdfast doctor\` says what is missing.`);
}
