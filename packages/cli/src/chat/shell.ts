import { createRedactor, knownKeys, runGroup } from '@holdfast/agent/tools';
import { counted } from '../view/amounts.ts';
import { clean } from '../view/clean.ts';
import type { Style } from '../view/style.ts';
import { cut, wrapLine } from '../view/text.ts';

/** Where a command of the user runs, and how it is shown. */
export interface ShellSetup {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly style: Style;
  columns(): number;
  print(rows: readonly string[]): void;
}

/** Rows to print while it runs, and characters for the model. */
const MOST_ROWS = 2_000;
const MOST_CHARS = 20_000;
const NO_LIMIT_MS = 2 ** 31 - 1;
const GRACE_MS = 2_000;

/** Runs a command that the user typed, prints its output as it comes, and returns what the model gets to read of it: no key. */
export async function runShell(command: string, setup: ShellSetup): Promise<string> {
  const { colours, marks } = setup.style;
  const decoder = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let [output, line, printed] = ['', '', 0];
  const show = (text: string, isEnd = false) => {
    const lines = `${line}${text}`.replace(/\r\n?/g, '\n').split('\n');
    line = lines.pop() ?? '';
    if (isEnd && line !== '') lines.push(line);
    const rows = lines.flatMap((one) => wrapLine(one, Math.max(1, setup.columns() - 2)));
    setup.print(rows.slice(0, Math.max(0, MOST_ROWS - printed)).map((row) => `  ${row}`));
    printed += rows.length;
  };
  const ending = await runGroup({
    command,
    cwd: setup.cwd,
    env: Object.fromEntries(
      Object.entries(setup.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    time_limit_ms: NO_LIMIT_MS,
    grace_ms: GRACE_MS,
    signal: setup.signal,
    onOutput(stream, bytes) {
      const text = decoder[stream].decode(bytes, { stream: true });
      if (output.length < MOST_CHARS * 50) output += text;
      show(text);
    },
  });
  show('', true);
  const how = ending.code === null ? `ended by ${ending.signal}` : `exit ${ending.code}`;
  const isFailed = ending.code !== 0;
  const more = printed > MOST_ROWS ? `, ${counted(printed - MOST_ROWS, 'row')} not shown` : '';
  const mark = isFailed ? colours.red(marks.failed) : colours.green(marks.passed);
  const told = cut(clean(`${how}${more}; the model sees this with your next prompt`), setup.columns() - 2);
  setup.print([`${mark} ${(isFailed ? colours.red : colours.dim)(told)}`]);
  // Your own variables are there, as in any shell, but keys stay with you.
  const redactor = createRedactor(...knownKeys());
  const seen = shortened(redactor.text(output).trimEnd()) || '(no output)';
  return `I ran a command in the shell:\n$ ${redactor.text(command)}\n${seen}\n(${how})`;
}

/** The start and the end of a long output. */
function shortened(text: string): string {
  if (text.length <= MOST_CHARS) return text;
  const half = MOST_CHARS / 2;
  return `${text.slice(0, half)}\n… (${text.length - MOST_CHARS} characters left out) …\n${text.slice(-half)}`;
}

/** What the model gets together with the user's next prompt. Stateful. */
export type Asides = ReturnType<typeof createAsides>;

export function createAsides() {
  let texts: string[] = [];
  return {
    add: (text: string): void => void texts.push(text),
    get count() {
      return texts.length;
    },
    /** The prompt with everything before it. */
    before: (prompt: string) => [...texts, prompt].join('\n\n'),
    /** The prompt is in the session, or the conversation is left. */
    clear(): void {
      texts = [];
    },
  };
}
