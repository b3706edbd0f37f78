import { isJson } from '../json.ts';
import type { Answer, Prompt, PromptTool, Script } from '../script.ts';
import { smallAnswer } from './small-answer.ts';

/** A call of a tool that the request defines. */
export interface LoopCall {
  readonly name: string;
  readonly input: unknown;
}

/** How long the loop is, and what it calls. */
export interface ToolLoopOptions {
  /** Tool calls in total, or how many a request asks for. */
  readonly calls: number | ((prompt: Prompt) => number);
  /** The nth call, from 1: a command for the client's shell tool, or a call of any other tool. */
  readonly command: (n: number, prompt: Prompt) => string | LoopCall;
  /** The end of the final text, for clients that wait for a certain word. */
  readonly completion?: string;
}

/** The shell tools of known clients, then any that sounds like one. */
const SHELLS = [
  /^(?:bash|shell|shell_command|exec|exec_command|local_shell|run_shell_command|execute_command|run_commands?)$/i,
  /bash|shell|terminal|exec|run.?command/i,
];
/** Tools that only continue or stop a command. */
const FOLLOW_UP = /output|stdin|kill|stop|wait|status/i;
/** A shell that a program of the model may call, as the description of its tool declares it. */
const NESTED_SHELL = /\btools: \{ (exec_command|shell_command|shell)\(args: \{[^}]*?\b(cmd|command): string/;
const COMMAND = /^(?:command|cmd|script|commands)$/i;
const CALLED = /\bCall (\d+) of \d+\b/g;
const CALL_ID = /^call_loop_(\d+)(?:_|$)/;
/** How clients ask for a summary of the conversation, with its tools still defined. */
const SUMMARY_ASKED = /TEXT ONLY|do not call any tools|(?:detailed|handoff) summary|summari[sz]e the conversation/i;

/**
 * A long loop of shell commands, for any client: it finds the shell among the request's tools, makes `calls` calls, one at a
 * time, and ends with a text. It continues after the newest call that it sees, by the number in its id and its text, and so
 * does not depend on older messages. Requests without a shell (titles, routers) and requests for a summary get a short answer.
 */
export function toolLoop({ calls: wanted, command, completion = '' }: ToolLoopOptions): Script {
  return (prompt) => {
    const shell = shellOf(prompt.tools);
    if (!shell) return smallAnswer(prompt);
    const made = callsMade(prompt);
    const calls = typeof wanted === 'number' ? wanted : wanted(prompt);
    if (asksForSummary(prompt))
      return { text: `<summary>Stand-in, no model: a summary. Call ${made} of ${calls} was the last.</summary>` };
    if (made >= calls) {
      const end = completion && `\n${completion}`;
      return finish(prompt, `Stand-in, no model: done, all ${calls} calls were answered.${end}`);
    }
    const n = made + 1;
    const next = command(n, prompt);
    return {
      text: `Call ${n} of ${calls}.`,
      thinking: `Call ${n} of ${calls}; ${calls - n} are left after it.`,
      calls: [{ id: `call_loop_${n}`, ...(typeof next === 'string' ? runWith(shell, next) : next) }],
    };
  };
}

/** The tool that runs a command, if the request has one. */
function shellOf(tools: readonly PromptTool[]): PromptTool | undefined {
  const runs = tools.filter(({ name }) => !FOLLOW_UP.test(name));
  return SHELLS.map((like) => runs.find(({ name }) => like.test(name))).find((tool) => tool !== undefined);
}

/** The largest number of a call that is visible: in an id, in a text, or in the summary of a conversation. */
function callsMade({ messages }: Prompt): number {
  let made = 0;
  for (const { role, text, calls, results } of messages) {
    for (const { id } of [...calls, ...results]) made = Math.max(made, Number(CALL_ID.exec(id)?.[1] ?? 0));
    if (role !== 'system') for (const [, n] of text.matchAll(CALLED)) made = Math.max(made, Number(n));
  }
  return made;
}

function asksForSummary({ messages }: Prompt): boolean {
  const last = messages.findLast(({ role }) => role !== 'system');
  return last?.role === 'user' && SUMMARY_ASKED.test(last.text);
}

/** Clients that must be told of the end have a tool for it. */
function finish({ tools, results }: Prompt, text: string): Answer {
  const end = tools.find(({ name }) => /^(?:attempt_completion|task_complete)$/.test(name));
  if (!end || results.some(({ id }) => id.startsWith('call_end'))) return { text };
  return { calls: [{ id: 'call_end', name: end.name, input: filled(end, /result|summary/i, text) }] };
}

/** The call that runs a command in the tool's own form: JSON, a list of words, or a program that calls the shell. */
function runWith(tool: PromptTool, command: string): LoopCall {
  const { name, kind, description } = tool;
  if (kind === 'local_shell') return { name, input: { command: ['bash', '-lc', command] } };
  if (kind !== 'custom') return { name, input: filled(tool, COMMAND, command) };
  const [, nested, field] = NESTED_SHELL.exec(description) ?? [];
  if (!nested) return { name, input: command };
  return { name, input: `text((await tools.${nested}({ ${field}: ${JSON.stringify(command)} })).output);` };
}

const EMPTY: Readonly<Record<string, unknown>> = { number: 1, integer: 1, boolean: false, array: [], object: {} };

/** An input with `text` in the field that fits, and the other required fields filled. */
function filled({ schema }: PromptTool, like: RegExp, text: string): Record<string, unknown> {
  const properties = isJson(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  const main = Object.keys(properties).find((name) => like.test(name));
  const input: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(properties)) {
    const { type, enum: values } = isJson(property) ? property : {};
    const one = String(Array.isArray(type) ? type[0] : type);
    if (name === main) input[name] = one === 'array' ? listFor(name, text) : text;
    else if (required.includes(name)) input[name] = Array.isArray(values) ? values[0] : (EMPTY[one] ?? 'stand-in');
  }
  return input;
}

function listFor(name: string, text: string): string[] {
  return name.endsWith('s') ? [text] : ['bash', '-lc', text];
}
