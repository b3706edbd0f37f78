import type { CallKind } from '../strategy.ts';

/** What a call did with one file or web page. */
export interface FileUse {
  /** Path or URL as the call has it; a path after a `cd` is joined to that folder. */
  readonly file: string;
  readonly use: 'read' | 'search' | 'change' | 'create' | 'delete' | 'move';
  /** The 1-based lines that a read asked for, if it says so; without an end, all lines that follow. */
  readonly lines?: readonly [from: number, to?: number];
  /** The texts that the call put into the file, and those it replaced or leaned on. */
  readonly put?: readonly string[];
  readonly replaced?: readonly string[];
  /** The new path of a moved file. */
  readonly to?: string;
}

/** A call names more files than this only by accident. No measurement supports the figure. */
export const MOST_USES = 100;

/** The kind of a call with these uses; undefined if there are none. */
export function kindOf(uses: readonly FileUse[]): CallKind | undefined {
  if (uses.some(({ use }) => use !== 'read' && use !== 'search')) return 'write';
  if (uses.some(({ use }) => use === 'read')) return 'read';
  return uses.length > 0 ? 'search' : undefined;
}

/** Each file of these uses once, in order. */
export function filesOf(uses: readonly FileUse[]): string[] {
  return [...new Set(uses.flatMap(({ file, to }) => (to === undefined ? [file] : [file, to])))];
}

const BARE_FILE = /^(?:[A-Z][a-z]*file|README|LICENSE|CHANGELOG|CODEOWNERS|\.[\w-]+)$/;
const EXTENSION = /[^./]\.[A-Za-z][\w-]{0,11}$|\.(?:7z|[1-9])$/;

/** Whether a word can be a path: no pattern, no option, no device, no URL. */
export function isPath(word: string): boolean {
  if (word.length === 0 || word.length > 400 || word.startsWith('-') || word.startsWith('/dev/')) return false;
  return !/[\n\t*?"'`<>|{}^\\;,=]|:\/\/|\/$/.test(word) && !/^[.~ ]*$/.test(word);
}

/** Whether a word that need not be a path looks like a file rather than a folder or something else. */
export function looksLikeFile(word: string): boolean {
  const name = word.slice(word.lastIndexOf('/') + 1);
  if (!isPath(word) || word.includes(' ') || /^v?\d[\d.]*$/.test(name)) return false;
  return EXTENSION.test(name) || BARE_FILE.test(name);
}
