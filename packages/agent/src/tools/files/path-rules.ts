import { ToolFailure } from '../failure.ts';

const NAME_BYTES = 255;
const PATH_BYTES = 4_096;
const DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this refuses
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Splits a path from a model into names below the workspace, without `.` or `..`; empty for the workspace itself. An
 * absolute path must start with one of `roots`. Touches no disk. Throws ToolFailure with the reason.
 */
export function namesOf(path: string, roots: readonly string[]): string[] {
  const shown = JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path);
  const refuse = (why: string): never => {
    throw new ToolFailure(`${shown} is refused: ${why}. Use a path inside the workspace, such as "src/index.ts".`);
  };
  if (path === '') refuse('it is empty; "." is the workspace');
  if (Buffer.from(path).toString() !== path) refuse('it is not well-formed Unicode');
  if (CONTROL.test(path)) refuse('it contains a NUL byte or another control character');
  if (Buffer.byteLength(path) > PATH_BYTES) refuse(`it is longer than ${PATH_BYTES} bytes`);
  if (/^(?:[a-z][a-z0-9+.-]+:\/|file:|data:)/i.test(path)) refuse('it is a URL');
  if (/^~[^/]*(?:\/|$)/.test(path)) refuse('"~" is not expanded');
  if (path.includes('\\')) refuse('it contains a backslash; separate folders with "/"');
  if (/^[a-z]:/i.test(path)) refuse('it names a drive');
  const names = (path.startsWith('/') ? inside(path, roots, refuse) : path)
    .split('/')
    .filter((name) => name !== '' && name !== '.');
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== undefined) refuse(problem);
  }
  return names;
}

function inside(path: string, roots: readonly string[], refuse: (why: string) => never): string {
  const root = roots.find((one) => path === one || path.startsWith(`${one}/`));
  return root === undefined ? refuse('it is an absolute path outside the workspace') : path.slice(root.length);
}

function nameProblem(name: string): string | undefined {
  const plain = name.normalize('NFKC');
  if (name === '..' || plain === '..') return '".." leads out of the folder';
  if (plain === '.' || /[/\\]/.test(plain)) return 'it contains a character that some systems read as "/" or "."';
  if (/[. ]$/.test(name)) return 'a name ends in a dot or a space, which some systems drop';
  if (Buffer.byteLength(name) > NAME_BYTES) return `a name is longer than ${NAME_BYTES} bytes`;
  if (process.platform !== 'win32') return undefined;
  if (name.includes(':')) return 'a name contains a colon';
  return DEVICE_NAMES.test(name) ? 'a name is a device name' : undefined;
}

/**
 * Normalizes a path so that all spellings of one file are equal on any file system: ignores case, composition, invisible
 * characters, and dots and spaces at the ends of names. Pure.
 */
export function folded(path: string): string {
  const plain = path.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain
    .toLowerCase()
    .normalize('NFC')
    .replace(/[. ]+(?=\/|$)/g, (end, at: number, all: string) => (at === 0 || all[at - 1] === '/' ? end : ''));
}

/** Matches these paths and everything below them, in any spelling. Pure. */
export function matchBelow(paths: readonly string[]): (path: string) => boolean {
  const all = paths.map(folded);
  return (path) => {
    const plain = all.length === 0 ? '' : folded(path);
    return all.some((one) => plain === one || plain.startsWith(`${one}/`));
  };
}
