import type { CommandShape, FlagShape, Values } from './shape.ts';

/** The zsh script, to source or to save as `_holdfast` in a folder of `fpath`. Pure. */
export function zshScript(shapes: readonly CommandShape[]): string {
  const own = shapes.find(({ name }) => name === '');
  const commands = shapes.filter(({ name }) => name !== '');
  return `#compdef holdfast
# Completion of holdfast for zsh. Put this in ~/.zshrc, after compinit:  source <(holdfast completion zsh)

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
${commands.map(commandCase).join('\n')}
      esac ;;
  esac
}

if [[ "\${funcstack[1]}" == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`;
}

function commandCase({ name, flags, argument }: CommandShape): string {
  const specs = [...flags.map(flagSpec), ...(argument ? [quoted(`1:argument:${action(argument)}`)] : [])];
  return `        ${name}) _arguments ${specs.join(' ') || ':'} ;;`;
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
  return values.ending === '' ? '_files' : `_files -g "*${values.ending}"`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
