import type { Command } from 'commander';
import { addConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { RunFlags } from '../run/run.ts';

/** `holdfast run`: runs one task until it is done. */
export function addRun(program: Command, context: Context): void {
  const command = program
    .command('run')
    .description('run a task from a markdown file in this folder')
    .argument('<task>', 'task file: markdown with Goal, Scope, Requirements, Definition of Done')
    .option('--resume', 'resume the newest run of this task where it stopped')
    .option('--checks', 'run the commands in backticks in the Definition of Done as checks, without asking')
    .option('--no-checks', 'do not run them')
    .option('--dry-run', 'show what would be sent, and the limits, without calling a model')
    .option('--max-cost <dollars>', 'stop once this much is spent, all models together (default: no limit)')
    .option('--report <file>', 'write an HTML report at the end: timeline, changes, folds, costs')
    .option('--json', 'print events as JSON, one per line, the result last')
    .option('-v, --verbose', 'also print debug lines')
    .addHelpText(
      'after',
      `
Examples:
  holdfast run TASK.md
  holdfast run TASK.md --provider openai-api --model gpt-6-sol
  holdfast run TASK.md --dry-run
  holdfast run TASK.md --max-cost 5
  holdfast run TASK.md --resume             after Ctrl-C, a crash, or raising a limit
  holdfast run TASK.md --checks --json      in CI: nothing is asked
  holdfast run TASK.md --provider stand-in  try it without a key: a script plays the model

Ctrl-C stops the run after the current tool call; a second Ctrl-C stops it immediately. Either way, --resume continues it.
Exit codes: 0 complete, 1 failed, 2 invalid usage or configuration, 3 blocked, 4 out of budget, 130 interrupted.`,
    );
  addConfigFlags(command).action(async (task: string, flags: RunFlags) => {
    const { run } = await import('../run/run.ts');
    await run(task, flags, context);
  });
}
