import { shown } from '@holdfast/agent/config';
import { isTooDeep, MOST_LEVELS } from '@holdfast/sessions/foreign';
import { HoldfastError } from 'holdfast';
import type { CrewCall, CrewMessage } from '../config/config.ts';

/** Most characters of one message in the history, and in the history that `holdfast serve` accepts. */
export const MAX_CONTENT_CHARS = 200_000;
const CUT = '\n… (cut)\n';
/** Characters kept from the end of a long message, where a signal may be. */
const TAIL = 1_000;

const ROLES: readonly unknown[] = ['user', 'system', 'assistant', 'tool'];

/** A checked copy of a history from outside. Calls may come without content, as APIs return them. Throws INVALID_HISTORY. */
export function checkHistory(history: readonly CrewMessage[]): CrewMessage[] {
  return [...history].map((given: unknown, index) => {
    const fail = (text: string) => new HoldfastError('INVALID_HISTORY', `history[${index}]${text}`, { index });
    if (isTooDeep(given)) throw fail(` is nested more than ${MOST_LEVELS} levels deep: flatten it, and avoid cycles`);
    const message: unknown = structuredClone(given);
    const invalid = (key: string, value: unknown, expected: string) =>
      fail(`${key} is ${shown(value)}: expected ${expected}`);
    if (typeof message !== 'object' || message === null) throw invalid('', message, 'a message with role and content');
    const { role, content, tool_calls } = message as Readonly<Record<string, unknown>>;
    if (!ROLES.includes(role)) throw invalid('.role', role, 'user, system, assistant or tool');
    const text = (content ?? undefined) === undefined && tool_calls !== undefined ? '' : content;
    if (typeof text !== 'string') throw invalid('.content', content, 'a string');
    // Anything else that is invalid is repaired later.
    return { ...message, content: text } as CrewMessage;
  });
}

/**
 * A message that every API and store accepts: no NUL, no unpaired surrogates, valid tool names, at most MAX_CONTENT_CHARS.
 * Returns the same object if nothing has to change. Pure.
 */
export function cleanMessage<T extends CrewMessage>(message: T): T {
  const content = cleanText(message.content);
  const calls = message.role === 'assistant' ? message.tool_calls : undefined;
  const tool_calls = calls?.map(cleanCall);
  if (content === message.content && (tool_calls ?? []).every((call, i) => call === calls?.[i])) return message;
  return { ...message, content, ...(tool_calls ? { tool_calls } : {}) };
}

function cleanText(text: string): string {
  const plain = text.replaceAll('\0', '\ufffd');
  const isLong = plain.length > MAX_CONTENT_CHARS;
  const cut = isLong ? plain.slice(0, MAX_CONTENT_CHARS - CUT.length - TAIL) + CUT + plain.slice(-TAIL) : plain;
  // APIs refuse half of a pair, which cutting may produce.
  return cut.toWellFormed();
}

function cleanCall(call: CrewCall): CrewCall {
  const name = call.function.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || '_';
  const text = call.function.arguments;
  // Must remain JSON, which may take six characters for one.
  const args =
    text.length > MAX_CONTENT_CHARS ? JSON.stringify({ cut: text.slice(0, MAX_CONTENT_CHARS / 8) }) : cleanText(text);
  return name === call.function.name && args === text ? call : { ...call, function: { name, arguments: args } };
}
