import type { Call } from '../dialect.ts';
import { isRecord } from '../json/record.ts';
import type { CallKind } from '../strategy.ts';
import { argumentUses, verbsOf } from './arguments.ts';
import { codeFacts } from './code.ts';
import { editorAction } from './editor-actions.ts';
import { type FileUse, filesOf, kindOf } from './file-use.ts';
import { patchUses } from './patch.ts';
import { resultFile } from './result-file.ts';
import { shellFacts } from './shell.ts';
import { textActions } from './text-actions.ts';

/** What a tool call did, judging by its arguments and, where these do not say it, by its name. */
export interface CallFacts {
  /** The strongest of what it did: write, read, search, command. */
  readonly kind: CallKind;
  /** Files and pages that it names. */
  readonly files: readonly string[];
  /** What it did with each; a file may occur several times. */
  readonly uses: readonly FileUse[];
  /** The command line, and those of its parts that ran something: no reads, searches, `cd` or `echo`. */
  readonly command?: string;
  readonly runs: readonly string[];
  /** Its arguments; empty if they are not an object. */
  readonly input: Readonly<Record<string, unknown>>;
}

type Facts = Omit<CallFacts, 'input'>;

const COMMAND_KEY = /^(?:commands?|cmd|script|CommandLine|shell_command|keystrokes)$/;
/** Files that a command names without reading or writing them, such as a test to run. */
const COMMAND_FILE = /(?:^|[\s'"=])([\w.@~/-]*[\w@-]\.[A-Za-z]\w{0,5})(?=$|[\s'":;|&)])/g;
/** A value such as `view` of an editor's `command`. */
const VERB = /^[a-z]+(?:_[a-z]+)*$/;

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

/** The facts of a call together with the file or page that its result shows, where the call names none. */
export function factsWithResult(call: Call, output: string): CallFacts {
  const facts = callFacts(call);
  if (facts.uses.length > 0 || facts.runs.length > 0) return facts;
  const file = resultFile(output);
  if (file === undefined) return facts;
  const use = facts.kind === 'write' ? 'change' : facts.kind === 'search' ? 'search' : 'read';
  const uses: FileUse[] = [{ file, use }];
  return { ...facts, kind: kindOf(uses) ?? facts.kind, files: [file], uses };
}

/** `holdfast recall` in a shell, wherever the command is. */
const RECALL_RUN = /(?:^|[\s/\\])holdfast(?:\.\w+)?["']?\s+recall\s/;
/** The tool in a program: some clients, such as Codex, let the model write one that calls tools. */
const RECALL_IN_PROGRAM = /holdfast\w*recall\s*\(/i;

/** True for a call that brings back what left the view: of a tool named `recall`, or of `holdfast recall` in a shell. */
export function isRecall(call: Call): boolean {
  if (/(?:^|[^A-Za-z])recall$|Recall$/.test(call.name)) return true;
  // Most calls mention it nowhere, and reading a command line takes longer than searching it.
  if (!mentions(call.input, /recall/i)) return false;
  return mentions(call.input, RECALL_IN_PROGRAM) || callFacts(call).runs.some((run) => RECALL_RUN.test(run));
}

/** True if the pattern is in one of the texts of an input: the input itself, its fields or their items. */
function mentions(input: unknown, pattern: RegExp): boolean {
  const has = (value: unknown) => typeof value === 'string' && pattern.test(value);
  if (!isRecord(input)) return has(input);
  return Object.values(input).some((value) => (Array.isArray(value) ? value.some(has) : has(value)));
}

/** What the actions in an assistant's text did with files, for agents that call no tools. */
export function textAction(text: string): readonly FileUse[] {
  const actions = textActions(text);
  if (actions.length > 0) return actions.flatMap(({ name, input }) => factsOf(name, input).uses);
  return text.includes('<<<<<<< SEARCH') ? patchUses(text) : [];
}

function readFacts(call: Call): CallFacts {
  const input = parse(call.input);
  return { ...factsOf(call.name, input), input };
}

function factsOf(name: string, input: CallFacts['input']): Facts {
  const command = commandOf(input);
  const isVerb = command !== undefined && VERB.test(command);
  const verbs = verbsOf(isVerb ? command : name);
  const { uses, files, writes } = argumentUses(verbs, input);
  // `command: "view"` with a path is an editor's action, not a command line.
  if (command !== undefined && !(isVerb && uses.length > 0)) return commandFacts(command);
  if (uses.length === 0) {
    const facts = codeOrAction(input);
    if (facts) return facts;
  }
  const kind = kindOf(uses) ?? (writes ? 'write' : verbs.searches ? 'search' : verbs.reads ? 'read' : 'other');
  return { kind, files: [...new Set([...filesOf(uses), ...files])], uses, runs: [] };
}

/** Text that is typed into a shell, a notebook or an editor. */
function codeOrAction({ code, input, action, chars }: CallFacts['input']): Facts | undefined {
  if (typeof chars === 'string') return { ...commandFacts(chars), kind: 'command' };
  const text = [code, action, input].find((one) => typeof one === 'string');
  if (text === undefined) return undefined;
  const edited = editorAction(text);
  if (edited) return { ...edited, files: filesOf(edited.uses), runs: [] };
  const { uses, commands } = codeFacts(text);
  if (commands.length === 0 && uses.length === 0) return undefined;
  const ran = commandFacts(commands.join('\n'));
  const all = [...uses, ...ran.uses];
  const kind = kindOf(all) ?? ran.kind;
  return { ...ran, kind, uses: all, files: [...new Set([...filesOf(all), ...ran.files])] };
}

function commandOf(input: CallFacts['input']): string | undefined {
  for (const key in input) {
    const value = input[key];
    if (!COMMAND_KEY.test(key)) continue;
    if (typeof value === 'string') return value;
    if (!Array.isArray(value)) continue;
    if (key === 'commands')
      return value.map((one) => (isRecord(one) ? (commandOf(one) ?? '') : String(one))).join('\n');
    return commandLine(value.map(String));
  }
  return undefined;
}

/** The command line of a program and its arguments. */
function commandLine(words: readonly string[]): string {
  const [shell = '', option = '', line] = words;
  if (line !== undefined && words.length === 3 && /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-\w*c$/.test(option))
    return line;
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

function commandFacts(command: string): Facts {
  const { kind, uses, runs } = shellFacts(command);
  const files = filesOf(uses);
  if (uses.length === 0)
    for (const [, file = ''] of command.slice(0, 2_000).matchAll(COMMAND_FILE))
      if (!files.includes(file)) files.push(file);
  return { kind, files, uses, runs, command };
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
  return textIn(call, (key, value) => [value, key]);
}

/** The same without keys, which are the tool's words and not the agent's. */
export function argumentValues(call: Call): string {
  return textIn(call, (_, value) => [value]);
}

/** A line for each argument, with its key before it. */
export function argumentPairs(call: Call): string {
  return textIn(call, (key, value) => [typeof value === 'string' ? `${key}: ${value}` : value]);
}

/** All texts and numbers in the arguments; `entry`: what to read of a key and its value, the last first. */
function textIn(call: Call, entry: (key: string, value: unknown) => unknown[]): string {
  const strings: string[] = [];
  // A stack instead of recursion: JSON arguments may have any number of levels.
  const left: unknown[] = [callFacts(call).input];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'number') strings.push(String(value));
    else if (Array.isArray(value)) for (let i = value.length; i-- > 0; ) left.push(value[i]);
    else if (isRecord(value)) for (const key of Object.keys(value).reverse()) left.push(...entry(key, value[key]));
  }
  return strings.join('\n');
}
