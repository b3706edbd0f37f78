import { type ChatCall, type ChatMessage, recordOf } from './chat.ts';
import { parsedArguments, plainLines } from './message-text.ts';

const SHORTEST = 16;
const LINE_NUMBER = /^\s*\d+(?:→|\t|\||:)\s?/;
const PATCH = '*** Begin Patch';
const PATCHED_FILE = /^\*\*\* (?:Update|Add|Delete) File: /m;

/** How the tools of different agents name the file, the text to replace, and a patch. */
const FILE_KEYS = ['file_path', 'filePath', 'path', 'filename', 'target_file', 'notebook_path'];
const OLD_KEYS = ['old_string', 'old_str', 'oldText', 'oldString'];
const PATCH_KEYS = ['input', 'patch', 'patchText', 'command', 'cmd'];

/** The lines that an edit of one file needs, and the file's name without its folder, if known. */
export interface NeededLines {
  readonly file: string | undefined;
  readonly lines: ReadonlySet<string>;
}

/** The lines of a message, in its text and in the values of its calls, without line numbers and indentation. Pure. */
export function lines(message: ChatMessage): Set<string> {
  return linesIn(plainLines(message));
}

/** The lines that the edits of a recorded answer replace or need as context, for each file of each call. Pure. */
export function neededLines({ tool_calls: calls = [] }: ChatMessage): NeededLines[] {
  return calls.flatMap((call) => [...replacedBy(call), ...patchedBy(call)]);
}

/** The text that an edit replaces. */
function replacedBy(call: ChatCall): NeededLines[] {
  const input = recordOf(parsedArguments(call));
  const edits = Array.isArray(input.edits) ? input.edits.map(recordOf) : [];
  const each = edits.map((edit) => edit.old_string ?? edit.oldText ?? edit.oldString);
  const old = [...OLD_KEYS.map((key) => input[key]), ...each].filter(isString).join('\n');
  const path = FILE_KEYS.map((key) => input[key]).find(isString);
  return old === '' ? [] : [{ file: path?.split('/').pop(), lines: linesIn(old) }];
}

/** The context and the removed lines of patches. */
function patchedBy(call: ChatCall): NeededLines[] {
  const input = recordOf(parsedArguments(call));
  const patches = PATCH_KEYS.flatMap((key) => input[key]).filter(isString);
  const files = patches.flatMap((text) => (text.includes(PATCH) ? text.split(PATCHED_FILE).slice(1) : []));
  return files.map((part) => {
    const [path = '', ...rest] = part.split('\n');
    const expected = rest.filter((line) => line.startsWith('-') || line.startsWith(' '));
    return { file: path.trim().split('/').pop(), lines: linesIn(expected.map((line) => line.slice(1)).join('\n')) };
  });
}

function linesIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const line of text.split('\n')) {
    const bare = line.replace(LINE_NUMBER, '').trim();
    if (bare.length >= SHORTEST) found.add(bare);
  }
  return found;
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
