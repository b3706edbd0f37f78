import { createInterface } from 'node:readline';
import { forDrawing } from '../view/guard-output.ts';
import { harmless } from '../view/harmless.ts';
import type { CrewRunFlags } from './run.ts';

/** Asks the person at the terminal; undefined after an empty line, Ctrl-C, Ctrl-D or the signal, and without a terminal. */
export async function askPerson(prompt: string, signal: AbortSignal): Promise<string | undefined> {
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY) return undefined;
  if (signal.aborted) return undefined;
  const lines = createInterface({ input: stdin, output: forDrawing(stdout), terminal: true, historySize: 0 });
  const leave = () => lines.close();
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await new Promise<string | undefined>((resolve) => {
      lines.once('SIGINT', leave);
      lines.once('close', () => resolve(undefined));
      lines.question(harmless(prompt), (answer) => resolve(/\S/.test(answer) ? answer : undefined));
    });
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/** The commands that answer the crew if there is no terminal to ask on. `session` is a name to suggest. Pure. */
export function waitingLines(path: string, question: string, flags: CrewRunFlags, session: string): string[] {
  const command = (words: string) => commandLine(path, words, { ...flags, session: flags.session ?? session });
  const answer = `  ${command('YOUR ANSWER')}`;
  return flags.session === undefined
    ? ['the crew waits for your answer. Ask in a session, then answer there:', `  ${command(question)}`, answer]
    : ['the crew waits for your answer. Answer with:', answer];
}

const FLAGS = [
  ['session', '--session'],
  ['store', '--store'],
  ['provider', '--provider'],
  ['model', '--model'],
  ['baseUrl', '--base-url'],
  ['maxMessages', '--max-messages'],
] as const;

function commandLine(path: string, question: string, flags: CrewRunFlags): string {
  const given = FLAGS.flatMap(([key, flag]) => {
    const value = flags[key];
    return value === undefined ? [] : [flag, shellWord(value)];
  });
  return ['holdfast crew run', shellWord(path), shellText(question), ...given].join(' ');
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellText(text);
}

/** Quoted for any POSIX shell. */
function shellText(text: string): string {
  return /["$`\\!\n]/.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`;
}
