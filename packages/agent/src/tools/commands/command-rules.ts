// None of these characters lets a shell start another command, write a file or expand anything.
const PLAIN = /^[\w\s./:=@,+%'"-]*$/;

/**
 * True if the list contains the command itself, or a prefix such as `npm test *` followed by plain arguments. Shell syntax
 * (`;`, `|`, `&`, `$`, backticks, `<`, `>`, brackets, line breaks) is never plain. Pure.
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
