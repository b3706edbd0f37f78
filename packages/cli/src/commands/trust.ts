import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { TrustCommandFlags } from '../trust/commands.ts';

/** `holdfast trust`: what this folder may do, and how to take that back. */
export function addTrust(program: Command, context: Context): void {
  const act = () => import('../trust/commands.ts');
  const trust = program
    .command('trust')
    .description('look at what this folder wants to set, and trust it or not')
    .option('-c, --config <file>', 'the configuration (default: holdfast.yml or .ai/config.yml, here or above)')
    .option('--crew <file>', 'a crew, too')
    .option('--task <file>', 'the role that a task suggests, too')
    .option('--yes', 'trust it without a question')
    .addHelpText(
      'after',
      `
Examples:
  holdfast trust                     shows the settings and instructions of this folder, and asks
  holdfast trust --crew crew.yml
  holdfast trust --task TASK.md      and the role that this task suggests
  holdfast trust list
  holdfast trust revoke              this folder is asked about again
  holdfast trust revoke --all

Until you trust a folder, its configuration may set only the kind of API, the model and execution.conversation. Your own,
~/.holdfast/config.yml, is always trusted. A change is asked about again.
Exit codes: 0 trusted, 2 not trusted or wrong use, 130 interrupted.`,
    )
    .action(async (flags: TrustCommandFlags) => (await act()).trust(flags, context));
  trust
    .command('list')
    .description('list the folders that you trust, and what in them')
    .option('--json', 'as JSON')
    .addHelpText('after', '\nExamples:\n  holdfast trust list\n  holdfast trust list --json')
    .action(async (flags: { readonly json?: boolean }) => (await act()).list(flags, context));
  trust
    .command('revoke')
    .description('trust a folder no longer (default: this one)')
    .argument('[folder]', 'the folder')
    .option('--all', 'every folder')
    .addHelpText(
      'after',
      '\nExamples:\n  holdfast trust revoke\n  holdfast trust revoke ../other\n  holdfast trust revoke --all',
    )
    .action(async (folder: string | undefined, flags: { readonly all?: boolean }) =>
      (await act()).revoke(folder, flags, context),
    );
}
