import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { TrustCommandFlags } from '../trust/commands.ts';

/** `holdfast trust`: reviews, lists and revokes trust in folders. */
export function addTrust(program: Command, context: Context): void {
  const act = () => import('../trust/commands.ts');
  const trust = program
    .command('trust')
    .description('review what this folder wants to set, and trust it or not')
    .option(
      '--config <file>',
      'configuration file (default: holdfast.yml or .ai/config.yml, here or in a parent folder)',
    )
    .option('--crew <file>', 'also review this crew file')
    .option('--task <file>', 'also review the role that this task suggests')
    .option('--yes', 'trust it without asking')
    .addHelpText(
      'after',
      `
Examples:
  holdfast trust                     show the settings and instructions of this folder, and ask
  holdfast trust --crew crew.yml
  holdfast trust --task TASK.md      include the role that this task suggests
  holdfast trust list
  holdfast trust revoke              ask about this folder again
  holdfast trust revoke --all

Until you trust a folder, its configuration may set only the kind of API, the model and execution.conversation. Your own,
~/.holdfast/config.yml, is always trusted. If a trusted file changes, you are asked again.
Exit codes: 0 trusted, 2 not trusted or invalid usage, 130 interrupted.`,
    )
    .action(async (flags: TrustCommandFlags) => (await act()).trust(flags, context));
  trust
    .command('list')
    .description('list the folders and files that you trust')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  holdfast trust list\n  holdfast trust list --json')
    .action(async (flags: { readonly json?: boolean }) => (await act()).list(flags, context));
  trust
    .command('revoke')
    .description('stop trusting a folder (default: this one)')
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
