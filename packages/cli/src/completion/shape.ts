import type { Command, Option } from 'commander';

/** Possible values: fixed words, files with an ending ('' = any), or free text. */
export type Values =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'files'; readonly ending: string }
  | { readonly type: 'free' };

/** An option to complete. */
export interface FlagShape {
  readonly long: string;
  readonly short?: string;
  readonly about: string;
  /** Absent if it takes no value. */
  readonly values?: Values;
}

/** A command to complete; the program itself has the name ''. */
export interface CommandShape {
  readonly name: string;
  readonly about: string;
  readonly flags: readonly FlagShape[];
  readonly argument?: Values;
}

/** The program and its commands, read from their definitions. Pure. */
export function shapesOf(program: Command): readonly CommandShape[] {
  const own = shapeOf(program, '');
  const commands = program.commands.map((command) => shapeOf(command, command.name()));
  const words = commands.map(({ name }) => name);
  const help = {
    name: 'help',
    about: 'print help for a command',
    flags: [],
    argument: { type: 'words', words } as const,
  };
  return [own, ...commands, help];
}

/** A command with subcommands takes their names as its argument, and all their options. */
function shapeOf(command: Command, name: string): CommandShape {
  const inner = name === '' ? [] : command.commands;
  const [argument] = command.registeredArguments;
  const options = [command, ...inner].flatMap((one) => one.options);
  const version = name === '' ? [{ long: '--version', short: '-V', about: 'print the version' }] : [];
  return {
    name,
    about: command.description(),
    flags: [
      ...options
        .filter(({ hidden, long }, at) => !hidden && long !== '--version' && isFirst(options, long, at))
        .map(flagOf),
      ...version,
      { long: '--help', short: '-h', about: 'print help' },
    ],
    ...(argument ? { argument: valuesOf(argument.name(), argument.argChoices) } : {}),
    ...(inner.length > 0 ? { argument: { type: 'words', words: inner.map((one) => one.name()) } as const } : {}),
  };
}

function isFirst(options: readonly Option[], long: string | undefined, at: number): boolean {
  return options.findIndex((option) => option.long === long) === at;
}

function flagOf(option: Option): FlagShape {
  const { long = option.flags, short, description, required, optional, argChoices } = option;
  const [, placeholder = ''] = /[<[]([^>\]]+)/.exec(option.flags) ?? [];
  return {
    long,
    about: description,
    ...(short === undefined ? {} : { short }),
    ...(required || optional ? { values: valuesOf(placeholder, argChoices) } : {}),
  };
}

/** Decides by the placeholder: `<task>` is a markdown file, `<file>` any file. */
function valuesOf(placeholder: string, words: readonly string[] | undefined): Values {
  if (words) return { type: 'words', words };
  if (/^task/i.test(placeholder)) return { type: 'files', ending: '.md' };
  return /^(?:file|folder|path)/i.test(placeholder) ? { type: 'files', ending: '' } : { type: 'free' };
}
