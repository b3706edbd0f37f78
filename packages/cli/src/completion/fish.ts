import { type CommandShape, type FlagShape, innerOf, type Values } from './shape.ts';

/** The fish script. Pure. */
export function fishScript(shapes: readonly CommandShape[]): string {
  const lines = [
    ...shapes.flatMap(({ name }) =>
      innerOf(shapes, name).map(({ name: inner, about }) =>
        line(whenAt(name, shapes), `-a ${inner.split(' ').at(-1)} -d ${quoted(about)}`),
      ),
    ),
    ...shapes.flatMap(({ name, flags, argument }) => {
      const rest = argument && innerOf(shapes, name).length === 0 ? words(argument) : '';
      const when = whenAt(name, shapes);
      return [...flags.map((flag) => line(when, flagSpec(flag))), ...(rest === '' ? [] : [line(when, rest)])];
    }),
  ];
  return `# Completion of holdfast for fish. Save it:  holdfast completion fish > ~/.config/fish/completions/holdfast.fish
complete -c holdfast -f
${lines.join('\n')}
`;
}

/** The condition under which the words before the cursor name this command, and none below it. */
function whenAt(name: string, shapes: readonly CommandShape[]): string {
  if (name === '') return '__fish_use_subcommand';
  const seen = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = innerOf(shapes, name).map((one) => one.name.split(' ').at(-1));
  return [...seen, ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : [])].join('; and ');
}

function line(when: string, what: string): string {
  return `complete -c holdfast -n ${quoted(when)} ${what}`;
}

function flagSpec({ long, short, about, values }: FlagShape): string {
  const names = `-l ${long.replace(/^--/, '')}${short === undefined ? '' : ` -s ${short.slice(1)}`}`;
  // -x: no files among the values.
  const given = values ? ` ${values.type === 'files' ? '-r' : '-x'} ${words(values)}`.trimEnd() : '';
  return `${names} -d ${quoted(about)}${given}`;
}

function words(values: Values): string {
  if (values.type === 'words') return `-a ${quoted(values.words.join(' '))}`;
  if (values.type === 'free') return '';
  if (values.type === 'ids') return `-k -a ${quoted(`(holdfast complete ${values.kind} 2>/dev/null)`)}`;
  return values.ending === '' ? '-F' : `-k -a ${quoted(`(__fish_complete_suffix ${values.ending})`)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
