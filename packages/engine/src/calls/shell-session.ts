import { type FileUse, isPath } from './file-use.ts';
import type { ShellCommand } from './shell-words.ts';

/** A word of a command line; undefined if its value is not known. */
export type Word = string | undefined;
export type Lines = NonNullable<FileUse['lines']>;

/** What the programs of a line have done so far. */
export interface Session {
  /** The folder of relative paths; empty is where the line started. */
  folder: string;
  readonly uses: FileUse[];
  /** The parts that ran something. */
  readonly runs: string[];
  readonly variables: Map<string, readonly string[]>;
  /** How many programs showed files, known or not, in all and before the current pipe. */
  reads: number;
  readsBefore: number;
  searched: boolean;
  /** Index of the first use in the current pipe. */
  pipe: number;
  /** The text of the here-document that started the pipe. */
  given: string | undefined;
  /** Runs a line inside this one, such as that of `bash -c`. */
  readonly run: (line: string) => void;
}

/** What a program does with its words: `ran` if that is neither a read nor a search nor a write. */
export type Program = (words: readonly Word[], command: ShellCommand, session: Session) => 'ran' | undefined;

/** A file that takes what a program prints. Output of unknown text into a scratch folder is not a file of the task. */
export function addOutput(session: Session, file: string, append: boolean, text: string | undefined): void {
  if (!isPath(file) || (text === undefined && /^(?:\/private)?\/(?:tmp|var)\//.test(file))) return;
  add(session, { file, use: append ? 'change' : 'create', ...(text ? { put: [text] } : {}) });
}

/** Adds a use of a file in the current folder. */
export function add(session: Session, use: FileUse): void {
  const to = use.to === undefined ? {} : { to: inFolder(session.folder, use.to) };
  session.uses.push({ ...use, file: inFolder(session.folder, use.file), ...to });
}

/** Adds a use, or one for each range, of each word that is a path. */
export function addAll(
  session: Session,
  files: readonly Word[],
  use: FileUse['use'],
  ranges: readonly Lines[] = [],
): void {
  for (const file of files) {
    if (file === undefined || !isPath(file)) continue;
    if (ranges.length === 0) add(session, { file, use });
    for (const lines of ranges) add(session, { file, use, lines });
  }
}

/** A path relative to a folder, without `.` and inner `..`. */
export function inFolder(folder: string, file: string): string {
  if (/^[/~]/.test(file)) return file;
  const parts: string[] = [];
  for (const part of `${folder}/${file}`.split('/'))
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..' && parts.at(-1) !== '') parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  const path = parts.join('/');
  return folder.startsWith('/') ? path : path.replace(/^\//, '');
}
