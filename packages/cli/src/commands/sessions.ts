import type { Command } from 'commander';
import { addStoreFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { ExportFlags, ImportFlags, ListFlags, PruneFlags, ShowFlags } from '../sessions/commands.ts';
import type { StoreFlags } from '../sessions/open-store.ts';

/** `holdfast sessions`: manages saved conversations. */
export function addSessions(program: Command, context: Context): void {
  const sessions = program
    .command('sessions')
    .description('list, show, export, import, prune, delete, verify or salvage saved conversations')
    .addHelpText(
      'after',
      `
Examples:
  holdfast sessions list
  holdfast sessions show k3v9                 the start of the id is enough
  holdfast sessions export k3v9 > talk.jsonl
  holdfast sessions import talk.jsonl --id copy
  holdfast sessions prune --older-than 90d    shows what would be deleted; --yes deletes it
  holdfast sessions verify

Sessions are kept in sessions.db in HOLDFAST_HOME (default ~/.holdfast), or in --store.`,
    );
  const act = () => import('../sessions/commands.ts');
  /** These commands use only the store from the folder's configuration. */
  const trusted = async (flags: StoreFlags, ...more: readonly string[]) =>
    (await import('../sessions/open-store.ts')).trustedStore(flags, context, {}, more);
  const add = (usage: string, about: string, example: string) =>
    addStoreFlags(sessions.command(usage))
      .description(about)
      .addHelpText('after', `\nExamples:\n  holdfast sessions ${example.replaceAll('\n', '\n  holdfast sessions ')}`);
  add('list', 'list sessions, most recent first', 'list\nlist --limit 5 --json')
    .option('--limit <count>', 'maximum number of sessions (default: 50; with --json: all)')
    .option('--json', 'print JSON')
    .action(async (flags: ListFlags) => (await act()).list(flags, await trusted(flags)));
  add(
    'show <session>',
    'print the details of a session and its last messages',
    'show k3v9\nshow k3v9 --last 100 --full\nshow k3v9 --request last | jq .messages',
  )
    .option('--last <count>', 'number of messages (default: 10)')
    .option('--full', 'print messages in full, not only their start')
    .option('--request <n>', 'print the nth request as it was sent; `last` is the newest')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: ShowFlags) => (await act()).show(id, flags, await trusted(flags)));
  add(
    'export <session>',
    'write a session as JSON lines, which can be imported, or as readable text',
    'export k3v9 > talk.jsonl\nexport k3v9 -o talk.md',
  )
    .option('-o, --output <file>', 'write to this file instead of standard output; .md and .txt: readable text')
    .action(async (id: string, flags: ExportFlags) => (await act()).exportTo(id, flags, await trusted(flags)));
  add(
    'import <file>',
    'read sessions: an export, a list of messages, or a database with a table `sessions`',
    'import talk.jsonl\nimport messages.json --id talk\nimport co-cli.db',
  )
    .option('--id <id>', 'import under this id, if the original is taken')
    .option('--json', 'print JSON')
    .action(async (file: string, flags: ImportFlags) =>
      (await act()).importFrom(file, flags, await trusted(flags, 'sessions.mask_keys')),
    );
  add(
    'prune',
    'delete sessions that have not been used for a while',
    'prune --older-than 90d\nprune --older-than 12w --yes',
  )
    .requiredOption('--older-than <time>', 'how long ago they were last used: 90d, 12w, 36h')
    .option('--yes', 'delete them; without this they are only listed')
    .option('--json', 'print JSON')
    .action(async (flags: PruneFlags) => (await act()).prune(flags, await trusted(flags)));
  add('delete <session>', 'delete one session, by its full id', 'delete k3v9abcdefgh')
    .option('--json', 'print JSON')
    .action(async (id: string, flags: ListFlags) => (await act()).remove(id, flags, await trusted(flags)));
  add(
    'verify [session]',
    'check everything that is stored: order, hashes, folds, handles',
    'verify\nverify k3v9 --json',
  )
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, flags: StoreFlags & { readonly json?: boolean }) =>
      (await act()).verify(id, flags, await trusted(flags)),
    );
  sessions
    .command('salvage <store> <new-store>')
    .description('write all that is sound in a damaged store into a new one')
    .addHelpText(
      'after',
      `
Whole sessions are copied as they are. Of a damaged one, what comes before the damage is kept. The damaged store stays as it is.

Examples:
  holdfast sessions salvage ~/.holdfast/sessions.db ~/salvaged.db`,
    )
    .option('--json', 'print JSON')
    .action(async (from: string, to: string, flags: { readonly json?: boolean }) =>
      (await import('../sessions/salvage.ts')).salvage(from, to, flags, context),
    );
}
