import { isRecord } from '../content.ts';
import type { Call } from '../dialect.ts';
import type { CallKind } from '../strategy.ts';
import { argumentUses, verbsOf } from './calls/arguments.ts';
import { type FileUse, filesOf, kindOf, looksLikeFile } from './calls/file-use.ts';
import { hasPatch, patchUses } from './calls/patch.ts';

export { exitCode } from './calls/exit-code.ts';
export type { FileUse } from './calls/file-use.ts';

/** What a tool call did, judging by its arguments and, where these do not say it, by its name. */
export interface CallFacts {
  /** The strongest of what it did: write, read, search, command. */
  readonly kind: CallKind;
  /** Files and pages that it names. */
  readonly files: readonly string[];
  /** What it did with each; a file may occur several times. */
  readonly uses: readonly FileUse[];
  readonly command?: string;
  /** Its arguments; empty if they are not an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

const COMMAND_KEY = /^(?:commands?|cmd|script)$/;
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
  const command = commandOf(input);
  const verbs = verbsOf(command !== undefined && /^[a-z]+(?:_[a-z]+)*$/.test(command) ? command : call.name);
  // `command: "view"` with a path is an editor's action, not a command line.
  if (command !== undefined && (!/^[a-z]+(?:_[a-z]+)*$/.test(command) || argumentUses(verbs, input).uses.length === 0))
    return { ...commandFacts(command), command, input };
  const { uses, writes } = argumentUses(verbs, input);
  const kind = kindOf(uses) ?? (writes ? 'write' : verbs.searches ? 'search' : verbs.reads ? 'read' : 'other');
  return { kind, files: filesOf(uses), uses, input };
}

function commandOf(input: CallFacts['input']): string | undefined {
  for (const key in input) {
    const value = input[key];
    if (!COMMAND_KEY.test(key)) continue;
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return value.join(' ');
  }
  return undefined;
}

function commandFacts(command: string): Pick<CallFacts, 'kind' | 'files' | 'uses'> {
  const uses: FileUse[] = hasPatch(command) ? patchUses(command) : [];
  if (uses.length > 0) return { kind: 'write', files: filesOf(uses), uses };
  const files = [...command.slice(0, 2_000).matchAll(COMMAND_FILE)].map(([, file = '']) => file);
  const match = COMMAND.exec(command);
  const kind = match?.[1] ? 'read' : match ? 'search' : 'command';
  if (kind === 'read' || kind === 'search')
    for (const file of files) if (looksLikeFile(file)) uses.push({ file, use: kind });
  return { kind, files, uses };
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
