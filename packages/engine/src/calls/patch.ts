import { type FileUse, looksLikeFile, MOST_USES } from './file-use.ts';

interface Sides {
  readonly put: string[];
  readonly replaced: string[];
}

const PATCHED = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVED = /^\*\*\* Move to: (.+)$/;

/** Whether a text has a patch that `patchUses` reads. */
export function hasPatch(text: string): boolean {
  return text.includes('*** Begin Patch') || text.includes('<<<<<<< SEARCH') || /^--- .+\r?\n\+\+\+ /m.test(text);
}

/**
 * The files that a patch changes, with the lines it adds and those it removes or leans on: `*** Begin Patch`, a unified diff,
 * or SEARCH/REPLACE blocks, whose file is given or the line before them. Pure.
 */
export function patchUses(text: string, file?: string): FileUse[] {
  const uses = text.includes('<<<<<<< SEARCH')
    ? blockUses(text, file)
    : text.includes('*** Begin Patch')
      ? beginPatchUses(text)
      : diffUses(text);
  return uses.slice(0, MOST_USES);
}

function beginPatchUses(text: string): FileUse[] {
  const uses: FileUse[] = [];
  let sides: Sides = noSides();
  for (const line of text.split('\n')) {
    if (line.startsWith('*** End Patch')) sides = noSides();
    const [, verb, file = ''] = PATCHED.exec(line) ?? [];
    const [, to] = MOVED.exec(line) ?? [];
    const last = uses.at(-1);
    if (verb !== undefined) {
      sides = noSides();
      const use = verb === 'Add' ? 'create' : verb === 'Delete' ? 'delete' : 'change';
      uses.push({ file: file.trim(), use, ...sides });
    } else if (to !== undefined && last) uses[uses.length - 1] = { ...last, use: 'move', to: to.trim() };
    else addLine(line, sides);
  }
  return uses.map(joinLines);
}

function diffUses(text: string): FileUse[] {
  const uses: FileUse[] = [];
  let sides: Sides = noSides();
  let old = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('--- ')) old = diffName(line);
    else if (line.startsWith('+++ ') && old !== '') {
      const name = diffName(line);
      const isGone = name === '/dev/null';
      sides = noSides();
      const use = isGone ? 'delete' : old === '/dev/null' ? 'create' : 'change';
      uses.push({ file: isGone ? old : name, use, ...sides });
      old = '';
    } else addLine(line, sides);
  }
  return uses.map(joinLines);
}

/** The path in a `---` or `+++` line, without git's `a/` or `b/` and without a date. */
function diffName(line: string): string {
  const name = line.slice(4).split('\t', 1)[0] ?? '';
  return name.trim().replace(/^[ab]\//, '');
}

/** SEARCH/REPLACE blocks, as aider and Cline have them. */
function blockUses(text: string, given: string | undefined): FileUse[] {
  const found = new Map<string, Sides>();
  let file = given;
  let sides: Sides | undefined;
  let side: string[] | undefined;
  let lines: string[] = [];
  for (const line of text.split('\n')) {
    if (/^<{5,9} SEARCH/.test(line)) {
      sides = file === undefined ? noSides() : (found.get(file) ?? noSides());
      if (file !== undefined) found.set(file, sides);
      side = sides.replaced;
      lines = [];
    } else if (sides && /^(?:={5,9}|>{5,9} REPLACE)\s*$/.test(line)) {
      if (lines.length > 0) side?.push(lines.join('\n'));
      lines = [];
      if (line.startsWith('=')) side = sides.put;
      else sides = undefined;
    } else if (sides) lines.push(line);
    else if (given === undefined && looksLikeFile(line.trim().replace(/:$/, ''))) file = line.trim().replace(/:$/, '');
  }
  return [...found].map(([name, made]) => withoutEmpty({ file: name, use: 'change', ...made }));
}

function noSides(): Sides {
  return { put: [], replaced: [] };
}

/** Context belongs to both sides: the edit leans on it, and it is in the file afterwards. */
function addLine(line: string, { put, replaced }: Sides): void {
  if (line.startsWith('+') || line.startsWith(' ')) put.push(line.slice(1));
  if (line.startsWith('-') || line.startsWith(' ')) replaced.push(line.slice(1));
}

function joinLines({ put = [], replaced = [], ...use }: FileUse): FileUse {
  const text = (lines: readonly string[]) => (lines.length > 0 ? [lines.join('\n')] : []);
  return withoutEmpty({ ...use, put: text(put), replaced: text(replaced) });
}

/** The use without sides that have no text. */
export function withoutEmpty({ put, replaced, ...use }: FileUse): FileUse {
  return { ...use, ...(put?.length ? { put } : {}), ...(replaced?.length ? { replaced } : {}) };
}
