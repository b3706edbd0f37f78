import { nearest } from '@holdfast/agent/config';
import { WrongUse } from '../failure.ts';
import { pad, wrapText } from '../view/text.ts';
import type { Command, CommandContext } from './commands/command.ts';
import { cost } from './commands/cost-command.ts';
import { compact, context, recompact, uncompact } from './commands/fold-commands.ts';
import { memory } from './commands/memory-command.ts';
import { pin, recall, redo, undo, unpin } from './commands/message-commands.ts';
import { model } from './commands/model-command.ts';
import { permissions } from './commands/permission-command.ts';
import { clear, exported, fork, sessions } from './commands/session-commands.ts';

const ALL: readonly Command[] = [
  { name: 'clear', aliases: ['new'], about: 'start a new conversation; this one stays saved', run: clear },
  { name: 'sessions', about: 'list saved conversations, most recent first', run: sessions },
  {
    name: 'compact',
    args: '[focus]',
    about: 'fold (compact) the old part of the view now; shows the effect and asks first',
    run: compact,
  },
  { name: 'uncompact', about: 'undo the newest fold', run: uncompact },
  { name: 'recompact', about: 'redo the fold that /uncompact undid', run: recompact },
  { name: 'context', about: 'show what fills the context window', run: context },
  { name: 'memory', about: 'show the note: what the model still reads about folded messages', run: memory },
  { name: 'cost', about: 'show what this session used and cost', run: cost },
  { name: 'pin', args: '[n]', about: 'protect message n, or your newest, from folds', run: pin },
  { name: 'unpin', args: 'n', about: 'let folds touch message n again', run: unpin },
  {
    name: 'recall',
    args: 'WORDS|HANDLE',
    about: 'find messages, folded or not; o3 is the third long output',
    run: recall,
  },
  { name: 'fork', about: 'copy this session into a new one', run: fork },
  { name: 'undo', about: 'go back to before your newest prompt and edit it; repeat it for earlier ones', run: undo },
  { name: 'redo', about: 'take back /undo, until your next prompt', run: redo },
  {
    name: 'export',
    args: '[FILE]',
    about: 'write this session to a file: readable if it ends in .md, otherwise JSON lines',
    run: exported,
  },
  { name: 'model', args: '[NAME]', about: 'choose another model', run: model },
  {
    name: 'permissions',
    args: '[revoke N|all]',
    about: 'list what tools may do without asking, or revoke it',
    run: permissions,
  },
  { name: 'help', about: 'show this list', run: help },
  { name: 'exit', aliases: ['quit'], about: 'leave; the session is saved', run: async () => 'leave' },
];

/** All commands, in the order of `/help`. Those without arguments refuse any with WrongUse. */
export const COMMANDS: readonly Command[] = ALL.map((command) => {
  const { name, about, run } = command;
  if (command.args !== undefined) return command;
  return {
    ...command,
    async run(args, talk) {
      if (args !== '') throw new WrongUse(`/${name} takes no argument: type /${name} alone to ${about}`);
      return run(args, talk);
    },
  };
});

/** What other programs call these commands. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['history', 'sessions'],
  ['search', 'recall'],
  ['find', 'recall'],
  ['rewind', 'undo'],
  ['tokens', 'context'],
  ['status', 'context'],
  ['usage', 'cost'],
  ['save', 'export'],
  ['approvals', 'permissions'],
  ['allowed-tools', 'permissions'],
]);

/** Commands without a slash, as in a shell. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['?', '/help'],
  ['exit', '/exit'],
  ['quit', '/exit'],
]);

/** What other programs do in a chat, and what does it here, in a shell. */
const IN_SHELL: ReadonlyMap<string, string> = new Map([
  ['resume', 'holdfast chat --resume ID'],
  ['init', 'holdfast init'],
  ['config', 'holdfast config'],
  ['settings', 'holdfast config'],
  ['login', 'holdfast setup'],
  ['setup', 'holdfast setup'],
  ['doctor', 'holdfast doctor'],
]);

/** User input: a command with its arguments, a prompt, a command for the shell, or an unknown command. */
export type Input =
  | { readonly type: 'command'; readonly command: Command; readonly args: string }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'unknown'; readonly text: string };

/** Tells commands from prompts. A leading `//` sends a prompt that starts with a slash, a blank before `!` one that starts with that. Pure. */
export function parseInput(text: string): Input {
  const [, shell = ''] = /^!([\s\S]*)$/.exec(text) ?? [];
  if (shell.trim() !== '') return { type: 'shell', command: shell.trim() };
  const plain = WORDS.get(text.trim()) ?? text.trimStart();
  if (!plain.startsWith('/')) return { type: 'prompt', text };
  if (plain.startsWith('//')) return { type: 'prompt', text: plain.slice(1) };
  const [, name = '', args = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(plain) ?? [];
  const command = findCommand(name);
  if (command) return { type: 'command', command, args: args.trim() };
  const names = COMMANDS.flatMap((one) => [one.name, ...(one.aliases ?? [])]);
  const meant = OTHER_NAMES.get(name) ?? nearest(name, names);
  const elsewhere = IN_SHELL.get(name);
  const known = meant === undefined ? '/help lists them.' : `did you mean /${meant}?`;
  const isSession = name === 'resume';
  const how = isSession ? 'leave with Ctrl-D, then run' : 'run';
  const which = isSession ? '; /sessions lists the ids.' : '.';
  const hint = elsewhere === undefined ? known : `${how} ${elsewhere} in your shell${which}`;
  return { type: 'unknown', text: `unknown command /${name}: ${hint} To send it to the model, type //${name}` };
}

/** The same for piped input, where only a single line with a known command is one: file paths start with a slash, too. Pure. */
export function parsePipedInput(text: string): Exclude<Input, { type: 'unknown' | 'shell' }> {
  const [, name = ''] = /^\s*\/{1,2}(\S+)[^\n]*$/.exec(text) ?? [];
  const what = findCommand(name) ? parseInput(text) : undefined;
  return what && what.type !== 'unknown' && what.type !== 'shell' ? what : { type: 'prompt', text };
}

function findCommand(name: string): Command | undefined {
  return COMMANDS.find((one) => one.name === name || one.aliases?.includes(name));
}

/** Full lines that complete the start of a line. Pure. */
export function completions(text: string, models: readonly string[]): string[] {
  const [, name, args] = /^\/(\S*)( .*)?$/.exec(text) ?? [];
  if (name === undefined) return [];
  if (args === undefined)
    return COMMANDS.filter((one) => one.name.startsWith(name)).map((one) => `/${one.name}${one.args ? ' ' : ''}`);
  if (name !== 'model') return [];
  return models.filter((one) => one.startsWith(args.trim())).map((one) => `/model ${one}`);
}

async function help(_: string, { face }: CommandContext): Promise<undefined> {
  const usage = ({ name, args, aliases = [] }: Command) =>
    `/${name}${args ? ` ${args}` : ''}${aliases.map((one) => ` (/${one})`).join('')}`;
  const width = Math.max(...COMMANDS.map((command) => usage(command).length)) + 2;
  const rows = COMMANDS.flatMap((command) =>
    face.columns < width + 20
      ? [usage(command), ...wrapText(command.about, face.columns - 4).map((row) => `    ${row}`)]
      : wrapText(command.about, face.columns - width).map(
          (row, i) => `${pad(i === 0 ? usage(command) : '', width)}${row}`,
        ),
  );
  const keys =
    'Enter sends; Alt+Enter, Ctrl+J or a trailing \\ starts a new line; Up and Down recall earlier prompts; Tab completes; Esc interrupts an answer and keeps it; Ctrl-C twice or Ctrl-D leaves. Ctrl-O shows the latest call in full. !command runs in your shell. //text sends /text.';
  face.print([...rows, ...wrapText(keys, face.columns).map(face.style.colours.dim)]);
  return undefined;
}
