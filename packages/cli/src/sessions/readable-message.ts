import { dialectFor, messageText, type WireMessage } from '@holdfast/sessions';
import type { Call, Dialect, Reading } from 'holdfast';
import { clean } from '../view/clean.ts';
import { harmless } from '../view/harmless.ts';

/** Who speaks in a message, in any wire format; most formats give tool results to the user or to a role of their own. Pure. */
export function speakerOf(message: WireMessage): string {
  const { results = [], words = false } = readingOf(message) ?? {};
  const tools = results.length === 1 ? 'tool result' : 'tool results';
  const { role, type } = message;
  const name = clean(String(role ?? type ?? 'message'));
  if (results.length === 0) return name;
  return words && role === 'user' ? `${name}, with ${tools}` : tools;
}

/** A message as Markdown that cannot affect a terminal, with calls and results as code. Pure. */
export function readableMessage(message: WireMessage): string {
  const { calls = [], results = [], words = true } = readingOf(message) ?? {};
  const text = harmless(messageText(message));
  if (results.length > 0 && !words) return results.map(({ content }) => fenced(textOf(content))).join('\n\n');
  const said = harmless(calls.map(({ name, input }) => messageText({ name, arguments: input })).join('\n'));
  // Calls come last; where they do not, nothing is known of their place.
  if (calls.length === 0 || !text.endsWith(said)) return text;
  return [text.slice(0, -said.length).trimEnd(), ...calls.map(callText)].filter((part) => part !== '').join('\n\n');
}

function readingOf(message: WireMessage): Reading | undefined {
  try {
    return (dialectFor(undefined, message) as Dialect<WireMessage>).read(message);
  } catch {
    // Of no format that is known.
    return undefined;
  }
}

function callText({ name, input }: Call): string {
  const lines = Object.entries(fieldsOf(input)).map(([key, value]) => {
    const text = textOf(value);
    return text.includes('\n') ? `${key}:\n${text}` : `${key}: ${text}`;
  });
  return fenced([name, ...lines].join('\n'));
}

function fieldsOf(input: unknown): object {
  if (typeof input !== 'string') return typeof input === 'object' && input !== null ? input : { input };
  try {
    return fieldsOf(JSON.parse(input) ?? {});
  } catch {
    return { input };
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? messageText(value) : (JSON.stringify(value) ?? '');
}

/** Code that no run of backticks in it can end. */
function fenced(text: string): string {
  const code = harmless(text).trimEnd();
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${code}\n${fence}`;
}
