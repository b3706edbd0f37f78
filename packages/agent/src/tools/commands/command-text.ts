/** How a command ended, as its result says it to the model. Pure. */
export function endText(code: number | null, signal: string | null): string {
  return code === null ? `ended by ${signal}` : `exit code ${code}`;
}

/** What a command printed to one stream, under its name. Pure. */
export function streamText(name: 'stdout' | 'stderr', text: string): string[] {
  return text === '' ? [`${name}: empty`] : [`${name}:`, text.trimEnd()];
}

/** Lines that are not output: the names of streams, and the handle of an output that was cut. */
const NOT_OUTPUT = /^(?:std(?:out|err):(?: empty)?|\[output o\d+: .*\])$/;

/** What the result of a command says: whether it failed, the lines it printed, and whether some were left out. Pure. */
export function readCommandText(text: string): {
  readonly failed: boolean;
  readonly lines: readonly string[];
  readonly isCut: boolean;
} {
  const [first = '', ...rest] = text.split('\n');
  const isEnd = /^(?:exit code|ended by) /.test(first);
  const lines = (isEnd ? rest : [first, ...rest]).filter((line) => !NOT_OUTPUT.test(line));
  const isCut = lines.some((line) => /^\[… \d+ bytes not shown …\]$/.test(line));
  return { failed: isEnd && !/^exit code 0\b/.test(first), lines, isCut };
}
