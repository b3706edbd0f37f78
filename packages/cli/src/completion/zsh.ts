import { type CommandShape, type FlagShape, innerOf, type Values } from './shape.ts';

/** The zsh script, to source or to save as `_holdfast` in a folder of `fpath`. Pure. */
export function zshScript(shapes: readonly CommandShape[]): string {
  const own = shapes.find(({ name }) => name === '');
  const commands = innerOf(shapes, '');
  return `#compdef holdfast
# Completion of holdfast for zsh. Put this in ~/.zshrc, after compinit:  source <(holdfast completion zsh)

_holdfast_ids() {
  local -a ids
  ids=(\${(f)"$(holdfast complete $1 2>/dev/null)"})
  compadd -- \${ids%%$'\\t'*}
}

_holdfast() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
${commands.map(({ name, about }) => `    ${quoted(`${name}:${about.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  _arguments -C ${(own?.flags ?? []).map(flagSpec).join(' ')} '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
${commands.map((shape) => commandCase(shape, shapes)).join('\n')}
      esac ;;
  esac
}

if [[ "\${funcstack[1]}" == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`;
}

function commandCase(shape: CommandShape, shapes: readonly CommandShape[]): string {
  const { name, flags, argument } = shape;
  const inner = innerOf(shapes, name);
  const own = name.split(' ').at(-1) ?? '';
  if (inner.length > 0)
    return `        ${own})
          _arguments -C ${flags.map(flagSpec).join(' ')} ${argument ? quoted(`1:command:${action(argument)}`) : ''} '*::argument:->inner'
          if [[ $state == inner ]]; then case $words[1] in
${inner.map((one) => commandCase(one, shapes)).join('\n')}
          esac; fi ;;`;
  // For free words zsh would show a message, and then inserts no option either.
  const words = argument && argument.type !== 'free' ? [quoted(`1:argument:${action(argument)}`)] : [];
  const specs = [...flags.map(flagSpec), ...words];
  return `        ${own}) _arguments ${specs.join(' ') || ':'} ;;`;
}

function flagSpec({ long, short, about, values }: FlagShape): string {
  const value = values ? `:value:${action(values)}` : '';
  const told = `[${about.replace(/[[\]:\\]/g, '\\$&')}]${value}`;
  const equals = values ? '=' : '';
  if (short === undefined) return quoted(`${long}${equals}${told}`);
  return `${quoted(`(${short} ${long})`)}{${short},${long}${equals}}${quoted(told)}`;
}

function action(values: Values): string {
  if (values.type === 'words') return `(${values.words.join(' ')})`;
  if (values.type === 'free') return ' ';
  if (values.type === 'ids') return ` _holdfast_ids ${values.kind}`; // the blank keeps options of compadd out
  return values.ending === '' ? '_files' : `_files -g "*${values.ending}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
