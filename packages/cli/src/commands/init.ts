import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';

/** A file to write, and the next step. */
interface New {
  readonly name: string;
  readonly content: string;
  readonly next: string;
}

async function newConfig(): Promise<New> {
  const { commentedConfig } = await import('@holdfast/agent/config');
  return { name: 'holdfast.yml', content: commentedConfig(), next: '`holdfast doctor` checks what is missing.' };
}

async function newCrew(): Promise<New> {
  const { STARTER } = await import('../crew/starter.ts');
  const next = '`holdfast crew run crew.yml "my disk has been full since noon" --provider stand-in` needs no key.';
  return { name: 'crew.yml', content: STARTER, next };
}

interface InitFlags {
  readonly crew?: boolean;
  readonly force?: boolean;
  readonly stdout?: boolean;
}

/** `holdfast init`: writes a commented configuration or a crew; overwrites only with `--force`. */
export function addInit(program: Command, context: Context): void {
  program
    .command('init')
    .description('write a commented holdfast.yml here, or a crew.yml to start from')
    .option('--crew', 'write a crew.yml, for `holdfast crew run` and `holdfast serve`')
    .option('-f, --force', 'overwrite an existing file')
    .option('--stdout', 'print it instead of writing a file')
    .addHelpText(
      'after',
      `
Examples:
  holdfast init
  holdfast init --crew
  holdfast init --stdout > other.yml`,
    )
    .action(async ({ crew = false, force = false, stdout = false }: InitFlags) => {
      const made = await (crew ? newCrew() : newConfig());
      if (stdout) context.print(made.content);
      else writeNew(context, made, force);
      if (crew && !stdout) await trustOwn(context, made.name);
    });
}

function writeNew(context: Context, { name, content, next }: New, force: boolean): void {
  const file = join(context.cwd, name);
  try {
    // Never write through a symlink, which may lead outside this folder.
    if (force) rmSync(file, { force: true });
    // Checks and writes in one step, so that no other file is overwritten.
    writeFileSync(file, content, { flag: 'wx' });
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new WrongUse(`${name} already exists: --force overwrites it`, error);
    throw new WrongUse(`cannot write ${file} (${code}): change its permissions, or print it with --stdout`, error);
  }
  context.say(`Wrote ${name}. Next: ${next}`);
}

/** Trusts the file that this program has just written. */
async function trustOwn(context: Context, crew: string): Promise<void> {
  const { remember, trustStatusOf } = await import('../trust/ensure-trust.ts');
  try {
    remember(context, trustStatusOf(context, {}, { keys: () => false, crew }));
  } catch {
    // If trust cannot be saved, the first use asks or reports the problem.
  }
}
