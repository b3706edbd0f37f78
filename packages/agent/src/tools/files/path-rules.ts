import { ToolFailure } from '../failure.ts';

const NAME_BYTES = 255;
const PATH_BYTES = 4_096;
const DEVICE_NAMES = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * A path as a model gave it → the names from the workspace down, none of them `.` or `..`; empty for the workspace
 * itself. An absolute path must begin with one of `roots`. Nothing is looked up. Throws ToolFailure with the reason.
 */
export function namesOf(path: string, roots: readonly string[]): string[] {
  const shown = JSON.stringify(path.length > 100 ? `${path.slice(0, 100)}…` : path);
  const refuse = (why: string): never => {
    throw new ToolFailure(`${shown} is refused: ${why}. Give a path inside the workspace, such as "src/index.ts".`);
  };
  if (path === '') refuse('it is empty; "." is the workspace');
  if (Buffer.from(path).toString() !== path) refuse('it is no well-formed Unicode');
  if (CONTROL.test(path)) refuse('it has a NUL byte or another control character');
  if (Buffer.byteLength(path) > PATH_BYTES) refuse(`it is longer than ${PATH_BYTES} bytes`);
  if (/^(?:[a-z][a-z0-9+.-]+:\/|file:|data:)/i.test(path)) refuse('it is a URL');
  if (/^~[^/]*(?:\/|$)/.test(path)) refuse('"~" is not expanded');
  if (path.includes('\\')) refuse('it has a backslash; folders are parted by "/"');
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
  if (name === '..' || plain === '..') return '".." leads upwards';
  if (plain === '.' || /[/\\]/.test(plain)) return 'it has a character that some systems take for "/" or "."';
  if (/[. ]$/.test(name)) return 'a name ends in a dot or a space, which some systems leave out';
  if (Buffer.byteLength(name) > NAME_BYTES) return `a name is longer than ${NAME_BYTES} bytes`;
  if (process.platform !== 'win32') return undefined;
  if (name.includes(':')) return 'a name has a colon';
  return DEVICE_NAMES.test(name) ? 'a name is one of a device' : undefined;
}

/**
 * A path in the form in which two spellings of one file are the same on any file system: no case, no composed
 * characters, none that are invisible, no dots and spaces at the ends of names. Pure.
 */
export function folded(path: string): string {
  const plain = path.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return plain
    .toLowerCase()
    .normalize('NFC')
    .replace(/[. ]+(?=\/|$)/g, (end, at: number, all: string) => (at === 0 || all[at - 1] === '/' ? end : ''));
}
