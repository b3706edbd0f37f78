import type { CommandShape, FlagShape, Values } from './shape.ts';

/** The bash script; it starts no program, so completion is fast. Pure. */
export function bashScript(shapes: readonly CommandShape[]): string {
  const commands = shapes.filter(({ name }) => name !== '');
  return `# Completion of holdfast for bash. Put this in ~/.bashrc:  source <(holdfast completion bash)

_holdfast_words() {
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_holdfast_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    if [[ -d $file || $file == *"$1" ]]; then COMPREPLY+=("$file"); fi
  done < <(compgen -f -- "$current")
}

_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= i
  COMPREPLY=()
  if [[ $current == = ]]; then current=
  elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${commands.map(({ name }) => name).join('|')}) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case "$command $before" in
${shapes.flatMap(({ name, flags }) => flags.flatMap((flag) => valueCase(name, flag))).join('\n')}
  esac
  case $command in
${shapes.map((shape) => commandCase(shape, commands)).join('\n')}
  esac
}

complete -F _holdfast holdfast
`;
}

function valueCase(command: string, { long, short, values }: FlagShape): string[] {
  if (!values) return [];
  const names = [long, ...(short ? [short] : [])].map((name) => quoted(`${command} ${name}`));
  return [`    ${names.join('|')}) ${action(values)}; return ;;`];
}

function commandCase({ name, flags, argument }: CommandShape, commands: readonly CommandShape[]): string {
  const names = flags.flatMap(({ long, short }) => [long, ...(short ? [short] : [])]);
  const words: Values = { type: 'words', words: commands.map((command) => command.name) };
  const rest = name === '' ? words : (argument ?? { type: 'free' });
  return `    ${quoted(name)})
      if [[ $current == -* ]]; then ${action({ type: 'words', words: names })}
      else ${action(rest)}
      fi ;;`;
}

function action(values: Values): string {
  if (values.type === 'words') return `_holdfast_words ${quoted(values.words.join(' '))}`;
  return values.type === 'files' ? `_holdfast_files ${quoted(values.ending)}` : ':';
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
