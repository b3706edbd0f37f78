import { isRecord } from '../content.ts';
import type { Call } from '../dialect.ts';
import type { CallKind } from '../strategy.ts';

/** What a tool call did, judging by its name and arguments. */
export interface CallFacts {
  readonly kind: CallKind;
  readonly files: readonly string[];
  readonly command?: string;
  /** Its arguments; empty if they are not an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

const FILE_KEY = /(?:^|_|file)path$|(?:^|_)file(?:_?name)?$/i;
const COMMAND_KEY = /^(?:commands?|cmd|script)$/;
const WRITE_KEY = /^(?:(?:old|new)_?(?:str|string|text)|edits|patch|file_text)$/i;
const WRITE_NAME = /write|edit|patch|create_file|str_replace|insert|append/i;
const SEARCH_NAME = /grep|glob|search|find|list|ls\b/i;
const READ_NAME = /read|view|open|cat\b|get_file/i;
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;
/** The first program of a command line, after a `cd`. */
const COMMAND =
  /^\s*(?:cd [^&;|]+(?:&&|;)\s*)?(?:(cat|sed -n|head|tail|nl|less|bat)|rg|(?:git )?grep|find|ls|fd|tree|ag)\b/;
const COMMAND_FILE = /(?:^|[\s'"=])([\w.@~/-]*[\w@-]\.[A-Za-z]\w{0,5})(?=$|[\s'":;|&)])/g;

const known = new WeakMap<Call, CallFacts>();

/** The facts of a call, read once. Never throws. */
export function callFacts(call: Call): CallFacts {
  let facts = known.get(call);
  if (!facts) {
    facts = readFacts(call);
    known.set(call, facts);
  }
  return facts;
}

function readFacts(call: Call): CallFacts {
  const input = parse(call.input);
  const files: string[] = [];
  let command: string | undefined;
  let writes = WRITE_NAME.test(call.name);
  for (const key in input) {
    const value = input[key];
    if (WRITE_KEY.test(key)) writes = true;
    if (typeof value === 'string' && FILE_KEY.test(key)) files.push(value);
    if (COMMAND_KEY.test(key))
      command = typeof value === 'string' ? value : Array.isArray(value) ? value.join(' ') : command;
  }
  const patch = typeof input.input === 'string' ? input.input : (command ?? '');
  if (patch.includes('*** Begin Patch')) {
    for (const [, file = ''] of patch.matchAll(PATCHED)) files.push(file.trim());
    return { kind: 'write', files, input };
  }
  if (command !== undefined) {
    for (const [, file = ''] of command.slice(0, 2_000).matchAll(COMMAND_FILE)) files.push(file);
    const match = COMMAND.exec(command);
    const kind = match?.[1] ? 'read' : match ? 'search' : 'command';
    return { kind, files, command, input };
  }
  if (writes) return { kind: 'write', files, input };
  if (SEARCH_NAME.test(call.name)) return { kind: 'search', files, input };
  return { kind: files.length > 0 || READ_NAME.test(call.name) ? 'read' : 'other', files, input };
}

function parse(input: unknown): CallFacts['input'] {
  if (typeof input !== 'string') return isRecord(input) ? input : {};
  try {
    const value: unknown = JSON.parse(input);
    return isRecord(value) ? value : {};
  } catch {
    return { input };
  }
}

/** All keys, strings and numbers in a call's arguments, joined by line breaks. */
export function argumentText(call: Call): string {
  const strings: string[] = [];
  // A stack instead of recursion: JSON arguments may have any number of levels.
  const left: unknown[] = [callFacts(call).input];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'number') strings.push(String(value));
    else if (Array.isArray(value)) for (let i = value.length; i-- > 0; ) left.push(value[i]);
    else if (isRecord(value)) for (const key of Object.keys(value).reverse()) left.push(value[key], key);
  }
  return strings.join('\n');
}

const EXIT = /\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return ?code)[: =]+(-?\d{1,3})\b/i;

/** The exit code that a command's output reports near its start or end. */
export function exitCode(output: string): number | undefined {
  const match = EXIT.exec(output.slice(0, 400)) ?? EXIT.exec(output.slice(-200));
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
