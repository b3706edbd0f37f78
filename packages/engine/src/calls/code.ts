import { verbsOf, withoutFragment } from './arguments.ts';
import { type FileUse, isPath, looksLikeFile, MOST_USES } from './file-use.ts';
import { hasPatch, patchUses } from './patch.ts';

const LIBRARY = /(?:^|\.)(?:open|read_text|read_bytes|read_[a-z]+(?<!_file)|load|loads|readFile|readFileSync)\b/;

/** What a piece of code does. */
export interface CodeFacts {
  readonly uses: readonly FileUse[];
  /** Command lines that it runs. */
  readonly commands: readonly string[];
}

/** `cmd: "…"`, `command='…'`, `os.system("…")`, up to the quote. */
const COMMAND =
  /(?:["']?\b(?:cmd|command)["']?\s{0,9}[:=]\s{0,9}|\b(?:os\.system|subprocess\.\w{1,20}|execSync|getoutput)\(\s{0,9}f?)(["'`])/g;
/** A line of a notebook that runs in the shell. */
const SHELL_LINE = /^(?:!|%(?=cd ))((?:[^\n]*\\\n)*[^\n]+)$/gm;
const CELL = /^%%(bash|sh|writefile)\b[ \t]*(.*)\n([\s\S]*)$/;
const ASSIGNED = /(?:^|[;\s])(\w{1,60})\s?=\s?(?:[\w.]{1,40}\()?[rf]?(["'`])([^"'`\n]{1,400})\2/g;
/** A function with a name, a text or a variable as its first argument, a mode as its second, and the method called on it. */
const FUNCTION =
  /\b([\w.]{1,60})\(\s{0,9}(?:\w{1,30}\s?=\s?)?(?:[rfb]?(["'`])([^"'`\n]{1,1000})\2|([A-Za-z_]\w{0,60})(?=\s{0,9}[,)]))?\s{0,9}(?:,\s{0,9}(?:mode\s?=\s?)?["']([rwaxbt+]{1,4})["'])?(?:\s{0,9}\)\.(\w{1,30}))?/g;

/** The files and pages that Python or JavaScript code opens by name, its patches and its commands. Pure, linear. */
export function codeFacts(code: string): CodeFacts {
  const cell = CELL.exec(code);
  if (cell) {
    const [, magic, file = '', body = ''] = cell;
    if (magic !== 'writefile') return { uses: [], commands: [body] };
    return { uses: isPath(file.trim()) ? [{ file: file.trim(), use: 'create', put: [body] }] : [], commands: [] };
  }
  const lines = [...code.matchAll(SHELL_LINE)].map(([, line = '']) => line);
  const commands = lines.length > 0 ? [lines.join('\n')] : [];
  COMMAND.lastIndex = 0;
  for (let match = COMMAND.exec(code); match && commands.length < MOST_USES; match = COMMAND.exec(code)) {
    const { text, end } = literal(code, COMMAND.lastIndex, match[1] ?? '');
    commands.push(text);
    COMMAND.lastIndex = end;
  }
  const patched = patchesIn(code);
  const uses = patched.length > 0 ? patched : opened(code);
  return { uses: uses.slice(0, MOST_USES), commands: commands.slice(0, MOST_USES) };
}

function opened(code: string): FileUse[] {
  const variables = new Map<string, string>();
  for (const [, name = '', , value = ''] of code.matchAll(ASSIGNED)) variables.set(name, value);
  const found = new Map<string, FileUse['use']>();
  for (const match of code.matchAll(FUNCTION)) {
    const [, name = '', , text, variable = '', mode, method = ''] = match;
    const owner = name.slice(0, Math.max(0, name.lastIndexOf('.')));
    const file = text ?? variables.get(variable) ?? variables.get(owner) ?? '';
    const made = useOf(name.slice(owner.length), mode, method, file);
    if (made === undefined) continue;
    // What a library reads is worked on, not shown, unless it is printed as it is.
    const isWork =
      LIBRARY.test(`${name}.${method}`) && !/print\(\s*$/.test(code.slice(Math.max(0, match.index - 9), match.index));
    const use = made === 'read' && isWork ? 'search' : made;
    const earlier = found.get(file);
    // Reading a file to write it again is one change.
    found.set(file, earlier === undefined || earlier === use ? use : 'change');
  }
  return [...found].map(([file, use]) => ({ file: /^https?:/.test(file) ? withoutFragment(file) : file, use }));
}

function useOf(name: string, mode = '', method: string, file: string): FileUse['use'] | undefined {
  if (/^https?:\/\/\S+$/.test(file)) return /goto|visit|navigate|open|fetch|get/i.test(name) ? 'read' : undefined;
  if (!isPath(file)) return undefined;
  if (/^\.?open$/.test(name)) return /[wx]/.test(mode) ? 'create' : /[a+]/.test(mode) ? 'change' : 'read';
  if (!looksLikeFile(file)) return undefined;
  const verbs = verbsOf(`${name}_${method}`);
  return verbs.writes
    ? verbs.creates
      ? 'create'
      : 'change'
    : verbs.deletes
      ? 'delete'
      : verbs.reads
        ? 'read'
        : undefined;
}

/** Patches in the code, in a string of it or between triple quotes. */
function patchesIn(code: string): FileUse[] {
  if (!hasPatch(code)) return [];
  const at = code.indexOf('*** Begin Patch');
  const quote = at > 0 ? code.charAt(at - 1) : '';
  const isOneLine = /["']/.test(quote) && code.charAt(at - 2) !== quote;
  return patchUses(isOneLine ? literal(code, at, quote).text : code);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** The text of a string literal from `from`, which is behind its quote, and the index after it. */
function literal(code: string, from: number, quote: string): { readonly text: string; readonly end: number } {
  const stop = quote === '`' ? /[\\`]/g : quote === '"' ? /[\\"]/g : /[\\']/g;
  let text = '';
  let at = from;
  while (at < code.length) {
    stop.lastIndex = at;
    const next = stop.exec(code)?.index ?? code.length;
    text += code.slice(at, next);
    if (code.charAt(next) !== '\\') return { text, end: next + 1 };
    const escaped = code.charAt(next + 1);
    text += ESCAPES[escaped] ?? escaped;
    at = next + 2;
  }
  return { text, end: code.length };
}
