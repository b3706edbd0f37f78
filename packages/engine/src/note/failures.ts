import { sliceText } from '../content.ts';

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
