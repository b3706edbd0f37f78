import type { ChatCall, ChatMessage } from './chat.ts';
import { recordOf } from './chat.ts';

/** A message as its reader sees it: the text and the values of its calls' arguments, without escapes. Pure. */
export function readableText(message: ChatMessage): string {
  return unescaped(plainLines(message));
}

/** The text of a message and the values of its calls' arguments, one below the other. Pure. */
export function plainLines({ content, tool_calls: calls = [] }: ChatMessage): string {
  return [content ?? '', ...calls.map(argumentValues)].join('\n');
}

/** The strings and numbers in a call's arguments, without their keys; the arguments themselves if they are not JSON. Pure. */
export function argumentValues(call: ChatCall): string {
  const input = parsedArguments(call);
  return input === undefined ? call.function.arguments : valuesIn(input).join('\n');
}

/** The arguments of a call; undefined for text that is not JSON, which agents do send. Pure. */
export function parsedArguments(call: ChatCall): unknown {
  try {
    return JSON.parse(call.function.arguments);
  } catch {
    return undefined;
  }
}

/** Without the escapes of text that was encoded more than once: no `nFiles` from a line break before `Files`. Pure. */
export function unescaped(text: string): string {
  return text.replace(/\\+[nrt]/g, '\n').replace(/\\+(["'/])/g, '$1');
}

function valuesIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'number' ? [String(value)] : Object.values(recordOf(value)).flatMap(valuesIn);
}
