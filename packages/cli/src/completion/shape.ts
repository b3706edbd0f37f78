import type { Command, Option } from 'commander';

/** Possible values: fixed words, files with an ending ('' = any), ids that the program itself lists, or free text. */
export type Values =
  | { readonly type: 'words'; readonly words: readonly string[] }
  | { readonly type: 'files'; readonly ending: string }
  | { readonly type: 'ids'; readonly kind: IdKind }
  | { readonly type: 'free' };

/** What `holdfast complete` lists. */
export type IdKind = 'sessions' | 'runs' | 'chats';

/** An option to complete. */
export interface FlagShape {
  readonly long: string;
  readonly short?: string;
  readonly about: string;
  /** Absent if it takes no value. */
  readonly values?: Values;
}

/** A command to complete, `sessions show` if it is below another; the program itself has the name ''. */
export interface CommandShape {
  readonly name: string;
  readonly about: string;
  readonly flags: readonly FlagShape[];
  readonly argument?: Values;
}

/** The program, its commands and theirs, read from their definitions. `models`: names to offer for `--model`. Pure. */
export function shapesOf(program: Command, models: readonly string[] = []): readonly CommandShape[] {
  const shapes = shapesIn(program, '', models);
  const words = shownIn(program).map((command) => command.name());
  const argument = { type: 'words', words } as const;
  return [...shapes, { name: 'help', about: 'print help for a command', flags: [], argument }];
}

function shapesIn(command: Command, path: string, models: readonly string[]): CommandShape[] {
  const inner = shownIn(command);
  const named = (one: Command) => (path === '' ? one.name() : `${path} ${one.name()}`);
  return [shapeOf(command, path, models), ...inner.flatMap((one) => shapesIn(one, named(one), models))];
}

/** The commands right below one that its help shows. */
function shownIn(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help');
}

/** The names of the commands right below one; '' is the program. Pure. */
export function innerOf(shapes: readonly CommandShape[], above: string): readonly CommandShape[] {
  const depth = above === '' ? 1 : above.split(' ').length + 1;
  return shapes.filter(
    ({ name }) => name !== '' && name.split(' ').length === depth && (above === '' || name.startsWith(`${above} `)),
  );
}

function shapeOf(command: Command, name: string, models: readonly string[]): CommandShape {
  const inner = name === '' ? [] : shownIn(command);
  const [argument] = command.registeredArguments;
  const version = name === '' ? [{ long: '--version', short: '-V', about: 'print the version' }] : [];
  return {
    name,
    about: command.description(),
    flags: [
      ...command.options
        .filter(({ hidden, long }) => !hidden && long !== '--version')
        .map((option) => flagOf(option, models)),
      ...version,
      { long: '--help', short: '-h', about: 'print help' },
    ],
    ...(argument ? { argument: valuesOf(argument.name(), argument.argChoices) } : {}),
    ...(inner.length > 0 ? { argument: { type: 'words', words: inner.map((one) => one.name()) } as const } : {}),
  };
}

function flagOf(option: Option, models: readonly string[]): FlagShape {
  const { long = option.flags, short, description, required, optional, argChoices } = option;
  const [, placeholder = ''] = /[<[]([^>\]]+)/.exec(option.flags) ?? [];
  const words = long === '--model' ? models : argChoices;
  return {
    long,
    about: description,
    ...(short === undefined ? {} : { short }),
    ...(required || optional ? { values: valuesOf(placeholder, words) } : {}),
  };
}

/** Decides by the placeholder: `<task>` is a markdown file, `<file>` any file, `<session>` the id of one. */
function valuesOf(placeholder: string, words: readonly string[] | undefined): Values {
  if (words) return { type: 'words', words };
  if (/^task/i.test(placeholder)) return { type: 'files', ending: '.md' };
  if (/^session/i.test(placeholder)) return { type: 'ids', kind: 'sessions' };
  if (/^run$/i.test(placeholder)) return { type: 'ids', kind: 'runs' };
  if (/^chat$/i.test(placeholder)) return { type: 'ids', kind: 'chats' };
  return /^(?:file|folder|path)/i.test(placeholder) ? { type: 'files', ending: '' } : { type: 'free' };
}
