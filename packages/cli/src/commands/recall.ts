import type { Command } from 'commander';
import { addStoreFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import { WrongUse } from '../failure.ts';
import type { RecallFlags } from '../sessions/recall.ts';

/** `holdfast recall`: finds messages by words or by handle. */
export function addRecall(program: Command, context: Context): void {
  addStoreFlags(program.command('recall'))
    .description('find messages by words or by handle, in one session or in all')
    .argument('<session-or-handle>', 'start of the session\'s id, "all", or a handle of the proxy such as m41.1@ID')
    .argument('[words...]', 'words, or one handle such as m41 or o3; after a handle of the proxy, more of them')
    .option('--limit <count>', 'maximum number of passages (default: 5)')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Examples:
  holdfast recall m41.1@k3v9abcdefghj         a tool result from a conversation through the proxy, byte for byte
  holdfast recall k3v9 parser getUserName
  holdfast recall all "connection refused" --limit 10
  holdfast recall k3v9 m41                    message 41 in full
  holdfast recall k3v9 o3                     a long tool output in full
  holdfast recall k3v9 m12-m40 --json

m41~1 is message 41 as written after one /undo; what an /undo took back is marked (undone).`,
    )
    .action(async (session: string, words: readonly string[], flags: RecallFlags) => {
      if (session.includes('@')) {
        const { recallByHandle } = await import('../sessions/recall-handle.ts');
        await recallByHandle([session, ...words], flags, context);
        return;
      }
      const { nothingAsked, recall } = await import('../sessions/recall.ts');
      if (words.length === 0) throw new WrongUse(nothingAsked(session));
      const { trustedStore } = await import('../sessions/open-store.ts');
      await recall(session, words, flags, await trustedStore(flags, context));
    });
}
