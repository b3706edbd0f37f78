import type { Command } from 'commander';
import { addTrustFlag } from '../config-flags.ts';
import type { Context } from '../context.ts';
import type { CrewRunFlags } from '../crew/run.ts';

/** `holdfast crew`: many agents, one question. */
export function addCrew(program: Command, context: Context): void {
  const crew = program.command('crew').description('ask a crew of agents that a file describes');
  addTrustFlag(crew.command('run'))
    .description('ask a question and watch the agents, a lane each')
    .argument('<file>', 'the crew: YAML with entry and agents')
    .argument('<question>', 'what is to be done')
    .option('--session <name>', 'go on with this session, or begin it')
    .option('--store <file-or-url>', 'where sessions are kept: a database file, or postgres://…')
    .option('--provider <type>', 'who runs the models of all agents')
    .option('--model <name>', 'the model of all agents')
    .option('--base-url <url>', "any server that speaks the provider's API")
    .option('--max-messages <count>', "most messages of the crew's history (max_messages_per_request)")
    .option('--json', 'an event a line, as JSON; the result is the last')
    .addHelpText(
      'after',
      `
Examples:
  holdfast crew run crew.yml "my disk is full since noon"
  holdfast crew run crew.yml "my disk is full since noon" --provider stand-in    without a key
  holdfast crew run crew.yml "it is slow"                      on a terminal, an agent that asks is answered there
  holdfast crew run crew.yml "it is slow" --session ticket-7   elsewhere, answer its question in its session:
  holdfast crew run crew.yml "web-1, since noon" --session ticket-7

Exit codes: 0 done or waiting for you, 1 failed, 2 wrong use or configuration, 4 a limit was reached, 130 interrupted.`,
    )
    .action(async (file: string, question: string, flags: CrewRunFlags) => {
      const { runCrewFile } = await import('../crew/run.ts');
      await runCrewFile(file, question, flags, context);
    });
}
