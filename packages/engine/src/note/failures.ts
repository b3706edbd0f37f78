import { plainLine } from '../quoting/plain-lines.ts';
import { sliceText } from '../quoting/slice.ts';

/** Characters at the start and end of an output that are searched for the line that says what failed. */
const SEARCHED_CHARS = 10_000;
const LONGEST_LINE = 400;

/** A line that is code or a comment, or that says that nothing failed. */
const NOT_A_FAILURE = /^\s*(?:\/\/|\/?\*|#(?!\d)|<!--|\d+\s*[→|]|[-+]\s*(?:\/\/|\*))|\b(?:0|no) (?:errors?|fail)/i;
/** How lines begin, or what they say, that name what failed: the most telling first. */
const FAILURES: readonly RegExp[] = [
  /^\s*(?:---\s*FAIL|FAIL(?:ED)?\b|not ok\b|[✗✘✕×❌●]\s)|\bFAILED\b(?!=0)|^\s*\d+\) \w/,
  /^\s*\w*(?:Error|Exception|Panic)\b[^\w]|\berror(?:\[\w+\]| \w{2,3}\d+)?:|^(?:fatal|panic|E {2})/,
  /command not found|No such file|Permission denied|Cannot find|not found\b|timed out|ENOENT|EADDRINUSE|refused/i,
  /\b(?:error|fail(?:ed|ure|s)?|exception|cannot|denied|invalid|unexpected|undefined)\b/i,
];

/** How a program that failed ends its output. */
const LAST_WORDS =
  /^(?:make(?:\[\d+\])?: \*\*\* |npm (?:ERR!|error) |(?:\S{1,80}: )?(?:fatal|error|ERROR)(?:\[\w+\])?: |(?:BUILD )?FAIL(?:ED)?\b|panic: )|(?:command not found|No such file or directory|Permission denied)$/;
const EXCEPTION = /^[A-Za-z][\w.]*(?:Error|Exception)(?::|$)/;
const TRACE = /^Traceback \(most recent call last\)|^\s+at \S+[(:]/m;
/** Lines at the end in which it says so. */
const LAST_LINES = 4;
/** Shows what other programs wrote. */
const SHOWS_LOGS = /\b(?:logs?|journalctl|dmesg)\b/;

/** True if a command's output ends like that of a program that failed: for tools that report no exit code. Pure. */
export function endsInFailure(command: string, output: string): boolean {
  if (SHOWS_LOGS.test(command)) return false;
  const near = sliceText(output, Math.max(0, output.length - SEARCHED_CHARS), output.length);
  const lines = near.split('\n').map(plainLine);
  const last = lines.filter((line) => line !== '' && line.length <= LONGEST_LINE).slice(-LAST_LINES);
  return last.some((line) => LAST_WORDS.test(line) || (EXCEPTION.test(line) && TRACE.test(near)));
}

/** The line of a failed call's output that says what failed; its first line if none does. Pure. */
export function failureLine(output: string): string {
  const near =
    output.length <= 2 * SEARCHED_CHARS
      ? output
      : `${sliceText(output, 0, SEARCHED_CHARS)}\n${sliceText(output, output.length - SEARCHED_CHARS, output.length)}`;
  const lines = near.split('\n').filter((line) => line.trim() !== '');
  const telling = lines.filter((line) => line.length <= LONGEST_LINE && !NOT_A_FAILURE.test(line));
  for (const pattern of FAILURES) {
    const found = telling.find((line) => pattern.test(line));
    if (found !== undefined) return found.trim();
  }
  return (telling[0] ?? lines[0] ?? '').trim();
}
