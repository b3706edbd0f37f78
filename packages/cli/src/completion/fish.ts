import type { CommandShape, FlagShape, Values } from './shape.ts';

/** The fish script. Pure. */
export function fishScript(shapes: readonly CommandShape[]): string {
  const commands = shapes.filter(({ name }) => name !== '');
  const lines = [
    ...commands.map(({ name, about }) => line('__fish_use_subcommand', `-a ${name} -d ${quoted(about)}`)),
    ...shapes.flatMap(({ name, flags, argument }) => {
      const when = name === '' ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${name}`;
      const rest = argument ? words(argument) : '';
      return [...flags.map((flag) => line(when, flagSpec(flag))), ...(rest === '' ? [] : [line(when, rest)])];
    }),
  ];
  return `# Completion of holdfast for fish. Save it:  holdfast completion fish > ~/.config/fish/completions/holdfast.fish
complete -c holdfast -f
${lines.join('\n')}
`;
}

function line(when: string, what: string): string {
  return `complete -c holdfast -n ${quoted(when)} ${what}`;
}

function flagSpec({ long, short, about, values }: FlagShape): string {
  const names = `-l ${long.replace(/^--/, '')}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
  const given = values ? ` -r ${words(values)}`.trimEnd() : '';
  return `${names} -d ${quoted(about)}${given}`;
}

function words(values: Values): string {
  if (values.type === 'words') return `-a ${quoted(values.words.join(' '))}`;
  if (values.type === 'free') return '';
  return values.ending === '' ? '-F' : `-k -a ${quoted(`(__fish_complete_suffix ${values.ending})`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
