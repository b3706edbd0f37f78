import type { Command } from 'commander';
import { addConfigFlags, addStoreFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { ResumeFlags } from '../runs/commands.ts';
import type { ExportFlags, ListFlags, ShowFlags } from '../sessions/commands.ts';
import type { StoreFlags } from '../sessions/open-store.ts';

/** `holdfast runs`: what `holdfast run` has done. */
export function addRuns(program: Command, context: Context): void {
  const runs = program
    .command('runs')
    .description('list, show, resume or report runs of tasks')
    .addHelpText(
      'after',
      `
Examples:
  holdfast runs list
  holdfast runs show TASK-1a2b            the start of the id is enough
  holdfast runs resume                    resume the unfinished run of this folder
  holdfast runs report TASK-1a2b          one HTML file for a colleague

Runs are sessions: \`holdfast sessions\` exports, prunes and verifies them.`,
    );
  const act = () => import('../runs/commands.ts');
  const trusted = async (flags: StoreFlags) => (await import('../sessions/open-store.ts')).trustedStore(flags, context);
  const add = (usage: string, about: string, example: string) =>
    runs
      .command(usage)
      .description(about)
      .addHelpText('after', `\nExamples:\n  holdfast runs ${example.replaceAll('\n', '\n  holdfast runs ')}`);
  addStoreFlags(add('list', 'list runs, most recent first', 'list\nlist --limit 5 --json'))
    .option('--limit <count>', 'maximum number of runs (default: 20; with --json: all)')
    .option('--json', 'print JSON')
    .action(async (flags: ListFlags) => (await act()).list(flags, await trusted(flags)));
  addStoreFlags(
    add(
      'show [run]',
      'print what a run did, its result and its costs (default: the newest of this folder)',
      'show TASK-1a2b\nshow TASK-1a2b --last 50',
    ),
  )
    .option('--last <count>', 'number of steps (default: 10)')
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, flags: ShowFlags) => (await act()).show(id, flags, await trusted(flags)));
  const resume = add(
    'resume [run]',
    'resume a run where it stopped, in its own folder (default: the newest unfinished one of this folder)',
    'resume\nresume TASK-1a2b',
  )
    .option('--store <file-or-url>', 'database file or postgres://… URL (default: sessions.db in HOLDFAST_HOME)')
    .option('--checks', 'run the commands in backticks in the Definition of Done as checks, without asking')
    .option('--no-checks', 'do not run them')
    .option('--report <file>', 'write an HTML report at the end')
    .option('--json', 'print events as JSON, one per line, the result last')
    .option('-v, --verbose', 'also print debug lines');
  addConfigFlags(resume).action(async (id: string | undefined, flags: ResumeFlags) =>
    (await act()).resume(id, flags, await trusted(flags)),
  );
  addStoreFlags(
    add(
      'report [run]',
      'write a run as one HTML file: timeline, changes, folds and costs (default: the newest of this folder)',
      'report TASK-1a2b\nreport TASK-1a2b -o report.html',
    ),
  )
    .option('-o, --output <file>', 'write to this file (default: the id and .html, in this folder)')
    .action(async (id: string | undefined, flags: ExportFlags) =>
      (await act()).report(id, flags, await trusted(flags)),
    );
}
