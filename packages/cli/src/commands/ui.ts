import type { Command } from 'commander';
import { addStoreFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { UiFlags } from '../ui/run-ui.ts';

/** `holdfast ui`: the inspector in a browser. */
export function addUi(program: Command, context: Context): void {
  addStoreFlags(program.command('ui'))
    .description('see in a browser what the model sees: sessions, views, folds, requests and costs')
    .option('--port <port>', 'port to listen on; 0 picks a free one (default: 4143, or a free one)')
    .option('--no-open', 'only print the address')
    .addHelpText(
      'after',
      `
Examples:
  holdfast ui
  holdfast ui --store postgres://db/holdfast
  holdfast ui --no-open --port 8080

It is read-only, listens on 127.0.0.1, and sends nothing anywhere. The printed address contains the token that it asks for.
A running \`holdfast serve\` or \`holdfast proxy\` serves the same at /inspect. Ctrl-C ends it.

Exit codes: 0 ended, 1 failed, 2 invalid usage or configuration.`,
    )
    .action(async (flags: UiFlags) => {
      const { runUi } = await import('../ui/run-ui.ts');
      await runUi(flags, context);
    });
}
