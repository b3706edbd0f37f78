import { KEY_VARIABLES, nearest } from '@holdfast/agent/config';
import { Command } from 'commander';
import { addChat } from './commands/chat.ts';
import { addCompletion } from './commands/completion.ts';
import { addConfig } from './commands/config.ts';
import { addCrew } from './commands/crew.ts';
import { addDoctor } from './commands/doctor.ts';
import { addInit } from './commands/init.ts';
import { addMcp } from './commands/mcp.ts';
import { addProxy } from './commands/proxy.ts';
import { addRecall } from './commands/recall.ts';
import { addReplay } from './commands/replay.ts';
import { addRun } from './commands/run.ts';
import { addRuns } from './commands/runs.ts';
import { addServe } from './commands/serve.ts';
import { addSessions } from './commands/sessions.ts';
import { addSetup } from './commands/setup.ts';
import { addTrust } from './commands/trust.ts';
import { addUi } from './commands/ui.ts';
import type { Context } from './context.ts';
import { reportFailure, usageText, WrongUse, wantsJson } from './failure.ts';
import { version } from './version.ts';
import { shellWord } from './view/clean.ts';
import { wrapHelp } from './view/help-text.ts';

/** Adds one command to the program. Commands load the agent only when they run, to keep help fast. */
export type AddCommand = (program: Command, context: Context) => void;

/** All commands, in the order of `--help`. */
const COMMANDS: readonly AddCommand[] = [
  addProxy,
  addRun,
  addRuns,
  addChat,
  addCrew,
  addServe,
  addUi,
  addSessions,
  addRecall,
  addMcp,
  addReplay,
  addSetup,
  addInit,
  addConfig,
  addDoctor,
  addTrust,
  addCompletion,
];

const AFTER_HELP = `
Examples:
  holdfast setup                choose a provider and save its key
  holdfast proxy -- claude      start Claude Code, Codex or another client with its conversation bounded
  holdfast run TASK.md          run a task until it is done
  holdfast runs list            list runs; show, resume or report one
  holdfast chat                 chat with a model
  holdfast crew run crew.yml Q  ask a crew of agents
  holdfast serve crew.yml       serve the crew over HTTP
  holdfast ui                   see in a browser what the model sees
  holdfast sessions list        list saved conversations
  holdfast replay logs/         compare what each policy would cost on your transcripts
  holdfast init                 write a commented holdfast.yml, or a crew.yml with --crew
  holdfast doctor               check what is missing
  holdfast config               print the effective configuration
  holdfast trust                review what this folder wants to set, and trust it

API keys come from \`holdfast setup\`, or from the environment: ${KEY_VARIABLES.join(', ')}.
Exit codes: 0 done, 1 failed, 2 invalid usage or configuration, 3 blocked, 4 out of budget, 130 interrupted.`;

const DEFAULT_COLUMNS = 80;
const MOST_COLUMNS = 120;

/** The program with its commands. Usage errors are printed, then thrown as CommanderError. */
export function createProgram(context: Context, commands: readonly AddCommand[] = COMMANDS): Command {
  // Wider lines are hard to read.
  const columns = context.columns === undefined ? undefined : Math.min(context.columns, MOST_COLUMNS);
  const program = new Command('holdfast')
    .configureHelp({ minWidthToWrap: 20 })
    .description('Runs tasks of any length with a model and keeps the conversation bounded, valid and cheap.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showSuggestionAfterError(true)
    .addHelpText('after', AFTER_HELP)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.print(columns === undefined ? text : wrapHelp(text, columns)),
      getOutHelpWidth: () => columns ?? DEFAULT_COLUMNS,
      outputError: (text) => context.tell(oneLine(text, 'holdfast')),
    });
  for (const add of commands) add(program, context);
  for (const command of program.commands) pointToHelp(command, 'holdfast', context);
  return program;
}

/** Makes usage errors point to the help of the command they belong to. */
function pointToHelp(command: Command, above: string, context: Context): void {
  const name = `${above} ${command.name()}`;
  command.configureOutput({ outputError: (text) => context.tell(oneLine(text, name)) });
  for (const below of command.commands) pointToHelp(below, name, context);
}

/** Runs a command line. Prints errors instead of throwing. */
export async function main(args: readonly string[], context: Context): Promise<number> {
  try {
    const program = createProgram(context);
    refuseUnknownHelp(args, program);
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: 'user' });
    return context.code();
  } catch (error) {
    return reportFailure(error, context, wantsJson(args));
  }
}

/** Commander would print the general help for `help` of an unknown command. */
function refuseUnknownHelp([first, name]: readonly string[], program: Command): void {
  const names = program.commands.map((command) => command.name());
  if (first !== 'help' || name === undefined || name.startsWith('-') || ['help', ...names].includes(name)) return;
  const meant = nearest(name, names);
  throw new WrongUse(`unknown command '${name}'${meant ? ` (Did you mean ${meant}?)` : ''}; see holdfast --help`);
}

function oneLine(text: string, command: string): string {
  const line = usageText(text);
  const [, prompt] = /^unknown command '(.*\s.*)'$/s.exec(line) ?? [];
  const chat = prompt === undefined ? '' : `; to ask a model: holdfast chat ${shellWord(prompt)}`;
  return `${line}${chat}; see ${command} --help`;
}
