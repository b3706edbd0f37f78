import { type CommandShape, type FlagShape, innerOf, type Values } from './shape.ts';

/** The bash script; it starts the program only for ids, so that all else is fast. Pure. */
export function bashScript(shapes: readonly CommandShape[]): string {
  const outer = innerOf(shapes, '').filter(({ name }) => innerOf(shapes, name).length > 0);
  return `# Completion of holdfast for bash. Put this in ~/.bashrc:  source <(holdfast completion bash)

_holdfast_words() {
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$1" -- "$current"))
}

_holdfast_ids() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" complete "$1" 2>/dev/null | cut -f1)" -- "$current"))
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
    case "$command \${COMP_WORDS[i]}" in
      ${innerOf(shapes, '')
        .map(({ name }) => quoted(` ${name}`))
        .join('|')}) command=\${COMP_WORDS[i]} ;;
${outer
  .map(
    ({ name }) =>
      `      ${innerOf(shapes, name)
        .map((one) => quoted(one.name))
        .join('|')}) command="$command \${COMP_WORDS[i]}"; break ;;`,
  )
  .join('\n')}
    esac
  done
  case "$command $before" in
${shapes.flatMap(({ name, flags }) => flags.flatMap((flag) => valueCase(name, flag))).join('\n')}
  esac
  case $command in
${shapes.map((shape) => commandCase(shape, innerOf(shapes, ''))).join('\n')}
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
  if (values.type === 'ids') return `_holdfast_ids ${values.kind}`;
  return values.type === 'files' ? `_holdfast_files ${quoted(values.ending)}` : ':';
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
