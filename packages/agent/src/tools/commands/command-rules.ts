// Nothing in here starts another command, writes to a file or is replaced by the shell.
const PLAIN = /^[\w\s./:=@,+%'"-]*$/;

/**
 * Whether a command is on a list: word for word, or as `npm test *` with anything plain behind it. What a shell would
 * take for more than words (`;`, `|`, `&`, `$`, backticks, `<`, `>`, brackets, line breaks) is never plain. Pure.
 */
export function isAllowedCommand(command: string, allowed: readonly string[]): boolean {
  const asked = command.trim();
  return allowed.some((entry) => {
    if (!entry.endsWith(' *')) return asked === entry.trim();
    const start = entry.slice(0, -2).trim();
    return (
      asked === start ||
      (asked.startsWith(`${start} `) && PLAIN.test(asked.slice(start.length)) && !/[\n\r]/.test(asked))
    );
  });
}
