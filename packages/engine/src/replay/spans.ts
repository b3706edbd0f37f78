import { type ChatCall, type ChatMessage, recordOf } from './chat.ts';

const SHORTEST = 16;
const LINE_NUMBER = /^\s*\d+(?:→|\t|\||:)\s?/;
const PATCH = '*** Begin Patch';

/** The lines of a message, in its text and in every string of its calls, without line numbers and indentation. Pure. */
export function lines(message: ChatMessage): Set<string> {
  return linesIn([message.content ?? '', ...(message.tool_calls ?? []).map(callText)].join('\n'));
}

/** The lines that the edits of a recorded answer replace or need as context. Pure. */
export function neededLines(answer: ChatMessage): Set<string> {
  return new Set((answer.tool_calls ?? []).flatMap((call) => [...linesIn(editedText(call))]));
}

/** What an edit expects to find in the file; empty for a call that edits nothing. */
function editedText(call: ChatCall): string {
  const input = recordOf(parsed(call.function.arguments));
  const edits = Array.isArray(input.edits) ? input.edits.map(recordOf) : [];
  const replaced = [
    input.old_string,
    input.old_str,
    input.oldText,
    ...edits.map((edit) => edit.old_string ?? edit.oldText),
  ];
  const patches = [input.input, input.patch, input.command, input.cmd].flat().filter(isString);
  return [...replaced.filter(isString), ...patches.filter((text) => text.includes(PATCH)).map(patchedText)].join('\n');
}

/** The context and the removed lines of a patch. */
function patchedText(patch: string): string {
  const expected = patch.split('\n').filter((line) => line.startsWith('-') || line.startsWith(' '));
  return expected.map((line) => line.slice(1)).join('\n');
}

/** Every string in the arguments of a call, so that line breaks are not escaped. */
function callText(call: ChatCall): string {
  const input = parsed(call.function.arguments);
  return input === undefined ? call.function.arguments : stringsIn(input).join('\n');
}

function stringsIn(value: unknown): string[] {
  return isString(value) ? [value] : Object.values(recordOf(value)).flatMap(stringsIn);
}

function linesIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const line of text.split('\n')) {
    const bare = line.replace(LINE_NUMBER, '').trim();
    if (bare.length >= SHORTEST) found.add(bare);
  }
  return found;
}

/** Undefined for text that is not JSON, which agents do send. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}
