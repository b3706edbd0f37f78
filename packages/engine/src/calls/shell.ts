import type { CallKind } from '../strategy.ts';
import { type FileUse, kindOf, MOST_USES } from './file-use.ts';
import { PROGRAMS } from './shell-programs.ts';
import { addOutput, type Session, type Word } from './shell-session.ts';
import { readCommands, type ShellCommand } from './shell-words.ts';

/** What a command line did. */
export interface ShellFacts {
  readonly kind: CallKind;
  readonly uses: readonly FileUse[];
  /** The parts that ran something: neither reads, nor searches, nor steps such as `cd` and `echo`. */
  readonly runs: readonly string[];
}

/** Lines inside lines inside lines, such as `bash -c "bash -c …"`. */
const DEPTH = 4;

/** Files that a command line reads, searches and writes, and what it runs. Skips what it does not understand. Pure, linear. */
export function shellFacts(line: string): ShellFacts {
  const session = runLine(line, { folder: '', uses: [], runs: [], variables: new Map() }, 0);
  const uses = session.uses.slice(0, MOST_USES);
  const kind = kindOf(uses);
  const shown = session.reads > 0 ? 'read' : session.searched ? 'search' : 'command';
  return { kind: kind === 'write' || kind === 'read' ? kind : shown, uses, runs: session.runs.slice(0, MOST_USES) };
}

function runLine(line: string, outer: Pick<Session, 'folder' | 'uses' | 'runs' | 'variables'>, depth: number): Session {
  const session: Session = {
    ...outer,
    reads: 0,
    readsBefore: 0,
    searched: false,
    pipe: outer.uses.length,
    given: undefined,
    run(inner) {
      if (depth >= DEPTH) return;
      const { reads, searched } = runLine(inner, session, depth + 1);
      session.reads += reads;
      session.searched ||= searched;
    },
  };
  readCommands(line, session.variables, (command) => {
    if (command.hidden) meetHidden(command, session);
    else meet(command, session);
  });
  return session;
}

/** What is not shown is neither read nor searched; but it may write. */
function meetHidden(command: ShellCommand, session: Session): void {
  const own: Session = { ...session, uses: [], runs: [], pipe: 0 };
  meet({ ...command, piped: false }, own);
  session.uses.push(...own.uses.filter((use) => kindOf([use]) === 'write'));
}

const KEYWORD =
  /^(?:do|then|else|elif|if|while|until|!|\{|time|sudo|nohup|command|exec|builtin|env|nice|stdbuf|xargs|npx|bunx)$/;
const QUIET =
  /^(?:|cd|echo|printf|pwd|set|export|true|false|sleep|wait|test|\[|\[\[|read|exit|return|done|fi|case|esac|\}|mkdir|which|type|local|shift|break|continue|:)$/;

function meet(command: ShellCommand, session: Session): void {
  if (session.uses.length > MOST_USES || session.runs.length > MOST_USES) return;
  if (!command.piped) {
    session.pipe = session.uses.length;
    session.readsBefore = session.reads;
    session.given = undefined;
  }
  if (command.given !== undefined) session.given = command.given;
  const words = programWords(command.words, session);
  const [name = ''] = words;
  const program = name.slice(name.lastIndexOf('/') + 1);
  const known = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
  const ran = known ? known(words.slice(1), command, session) : QUIET.test(program) ? undefined : 'ran';
  if (ran && !command.piped) session.runs.push(command.text);
  const said = program === 'echo' || program === 'printf' ? wordsText(words.slice(1)) : session.given;
  for (const { file, append } of command.outputs) addOutput(session, file, append, said);
}

function wordsText(words: readonly Word[]): string {
  return words.filter((word) => !word?.startsWith('-')).join(' ');
}

/** The words from the program on, without assignments, keywords and programs that run another. */
function programWords(words: readonly Word[], session: Session): readonly Word[] {
  if (words[0] === 'for' && words[2] === 'in') {
    const values = words.slice(3).filter((word) => word !== undefined);
    session.variables.set(String(words[1]), values);
    return [];
  }
  let i = 0;
  for (; i < words.length; i++) {
    const word = words[i];
    const [, name, value = ''] = /^([A-Za-z_]\w{0,80})=([\s\S]*)$/.exec(word ?? '') ?? [];
    if (name !== undefined) session.variables.set(name, [value]);
    else if (word === 'timeout') i++;
    else if (word === undefined || !KEYWORD.test(word)) break;
    else while (words[i + 1]?.startsWith('-')) i++;
  }
  return words.slice(i);
}
