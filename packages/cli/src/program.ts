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
import { reportFailure, usageText, wantsJson } from './failure.ts';
import { KEY_VARIABLES } from './names.ts';
import { version } from './version.ts';
import { shellWord } from './view/clean.ts';
import { wrapHelp } from './view/help-text.ts';

/** Adds one command to the program. Commands load what they run only on use: `--help` must stay fast. */
export type AddCommand = (program: Command, context: Context) => void;

/** All commands, in the order of `--help`: what a new user needs comes first. */
const COMMANDS: readonly AddCommand[] = [
  addSetup,
  addChat,
  addRun,
  addProxy,
  addUi,
  addSessions,
  addRecall,
  addRuns,
  addCrew,
  addServe,
  addMcp,
  addReplay,
  addInit,
  addConfig,
  addDoctor,
  addTrust,
  addCompletion,
];

const AFTER_HELP = `
Examples:
  holdfast setup                      choose a provider and save its key
  holdfast chat "fix the flaky test"  chat with a model, starting with a prompt
  holdfast chat --provider stand-in   try it without a key: a script answers
  holdfast run TASK.md                run a task until it is done
  holdfast proxy -- claude            start Claude Code, Codex or another client with its conversation bounded
  holdfast crew run crew.yml Q        ask a crew of agents
  holdfast ui                         see in a browser what the model sees

API keys come from \`holdfast setup\`, or from the environment: ${KEY_VARIABLES.join(', ')}.
Exit codes: 0 done, 1 failed, 2 invalid usage or configuration, 3 blocked, 4 out of budget, 130 interrupted.`;

/** What other programs call it, and what to type here. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['-p', 'holdfast chat -p'],
  ['--print', 'holdfast chat -p'],
  ['exec', 'holdfast chat -p'],
  ['-c', 'holdfast chat -c'],
  ['--continue', 'holdfast chat -c'],
  ['continue', 'holdfast chat -c'],
  ['-r', 'holdfast chat --resume'],
  ['--resume', 'holdfast chat --resume'],
  ['resume', 'holdfast chat --resume, or holdfast runs resume'],
  ['--model', 'holdfast chat --model'],
  ['models', '/model in holdfast chat'],
  ['ask', 'holdfast chat'],
  ['login', 'holdfast setup'],
  ['auth', 'holdfast setup'],
  ['undo', '/undo in holdfast chat -c'],
  ['cost', '/cost in holdfast chat -c, or holdfast sessions show'],
  ['history', 'holdfast sessions list'],
  ['export', 'holdfast sessions export'],
  ['search', 'holdfast recall all'],
]);

const DEFAULT_COLUMNS = 80;
const MOST_COLUMNS = 120;

/** The program with its commands. Usage errors are printed, then thrown as CommanderError. */
export function createProgram(context: Context, commands: readonly AddCommand[] = COMMANDS): Command {
  // Wider lines are hard to read.
  const columns = context.columns === undefined ? undefined : Math.min(context.columns, MOST_COLUMNS);
  const errorColumns = Math.min((process.stderr.isTTY && process.stderr.columns) || DEFAULT_COLUMNS, MOST_COLUMNS);
  const program = new Command('holdfast')
    .configureHelp({ minWidthToWrap: 20, subcommandTerm: commandTerm })
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
      // The help of a command that lacks its subcommand.
      writeErr: (text) => void process.stderr.write(wrapHelp(text, errorColumns)),
      getErrHelpWidth: () => errorColumns,
      outputError: (text) => context.tell(oneLine(text, 'holdfast')),
    });
  for (const add of commands) add(program, context);
  for (const command of program.commands) pointToHelp(command, 'holdfast', context);
  return program;
}

/** Options are in the command's own help, and so are the arguments in the longest list. */
function commandTerm(command: Command): string {
  const isNested = command.parent?.parent != null;
  return isNested ? `${command.name()} ${command.usage().replace(/^\[options\] ?/, '')}`.trim() : command.name();
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
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(listing(withKnownHelp(args, program)), { from: 'user' });
    return context.code();
  } catch (error) {
    return await reportFailure(error, context, wantsJson(args));
  }
}

/** Without a subcommand, `sessions` and `runs` list. A default subcommand would take a mistyped one for its argument. */
function listing(args: readonly string[]): readonly string[] {
  const [name = '', next = '-'] = args;
  const lists = ['sessions', 'runs'].includes(name) && next.startsWith('-') && !['-h', '--help'].includes(next);
  return lists ? [name, 'list', ...args.slice(1)] : args;
}

/** Commander would print the general help for `help` of an unknown command. Without `help` it reports the command. */
function withKnownHelp(args: readonly string[], program: Command): readonly string[] {
  const [first, name] = args;
  if (first !== 'help' || name === undefined || name.startsWith('-')) return args;
  return name === 'help' || program.commands.some((command) => command.name() === name) ? args : [name];
}

function oneLine(text: string, command: string): string {
  const line = usageText(text);
  const [unknown, name = ''] = /^unknown (?:command|option) '(.*?)'/.exec(line) ?? [];
  const here = command === 'holdfast' ? OTHER_NAMES.get(name) : undefined;
  if (here !== undefined) return `${unknown}: type ${here}; see holdfast --help`;
  const [, prompt] = /^unknown command '(.*\s.*)'$/s.exec(line) ?? [];
  const chat = prompt === undefined ? '' : `; to ask a model: holdfast chat ${shellWord(prompt)}`;
  const lacksTask = command === 'holdfast run' && line.startsWith('missing required argument');
  const again = lacksTask ? '; to continue an earlier run: holdfast runs resume' : '';
  return `${line}${chat}${again}; see ${command} --help`;
}
