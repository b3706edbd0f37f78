import type { Command } from 'commander';
import { addCrewFlags } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { CrewRunFlags } from '../crew/run.ts';

/** `holdfast crew`: several agents work on one question. */
export function addCrew(program: Command, context: Context): void {
  const crew = program.command('crew').description('ask a crew of agents described in a file');
  addCrewFlags(crew.command('run'))
    .description('ask a question and watch the agents work, one lane each')
    .argument('<question>', 'what you want done')
    .option('--session <name>', 'continue this session, or start it')
    .option('--json', 'print events as JSON, one per line, the result last')
    .addHelpText(
      'after',
      `
Examples:
  holdfast crew run crew.yml "my disk has been full since noon"
  holdfast crew run crew.yml "my disk has been full since noon" --provider stand-in    without a key
  holdfast crew run crew.yml "it is slow"                      on a terminal, you answer an agent's question there
  holdfast crew run crew.yml "it is slow" --session ticket-7   elsewhere, answer it in the same session:
  holdfast crew run crew.yml "web-1, since noon" --session ticket-7

Exit codes: 0 done or waiting for you, 1 failed, 2 invalid usage or configuration, 4 limit reached, 130 interrupted.`,
    )
    .action(async (file: string, question: string, flags: CrewRunFlags) => {
      const { runCrewFile } = await import('../crew/run.ts');
      await runCrewFile(file, question, flags, context);
    });
}
