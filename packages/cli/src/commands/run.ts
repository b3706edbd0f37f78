import type { Command } from 'commander';
import { addConfigFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { RunFlags } from '../run/run.ts';

/** `holdfast run`: one task, to its end. */
export function addRun(program: Command, context: Context): void {
  const command = program
    .command('run')
    .description('run a task, from its markdown file to its end, in this folder')
    .argument('<task>', 'the task: markdown with Goal, Scope, Requirements, Definition of Done')
    .option('--resume', 'go on with the newest run of this task, wherever it was cut off')
    .option('--dry-run', 'say what would be sent and kept to; ask no model')
    .option('--json', 'an event a line, as JSON; the result is the last')
    .option('-v, --verbose', 'debug lines, too')
    .addHelpText(
      'after',
      `
Examples:
  holdfast run TASK.md
  holdfast run TASK.md --provider openai-api --model gpt-6-sol
  holdfast run TASK.md --dry-run
  holdfast run TASK.md --resume            after Ctrl-C, a crash, or a budget that was raised
  holdfast run TASK.md --provider stand-in try it without a key: a script in place of a model

Ctrl-C ends the run after the tool call under way; pressed again, at once. Either way --resume goes on.
Exit codes: 0 complete, 1 failed, 2 wrong use or configuration, 3 blocked, 4 out of budget, 130 interrupted.`,
    );
  addConfigFlags(command).action(async (task: string, flags: RunFlags) => {
    const { run } = await import('../run/run.ts');
    await run(task, flags, context);
  });
}
